/** Saves predictions: the gaps, a slice, rankings, queries, or all cells. */
import { formatCount } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import { download } from '../../widgets/index.ts'
import type { ExportRequest } from '../answers.ts'
import type { ModelMode } from '../protocol.ts'
import { defaultQuestion } from './shared/defaultQuestion.ts'
import { type ExploreProps, hasOwnRows } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'

/** Up to this number of cells all can be saved. */
const MOST_CELLS = 1_000_000

type Kind = ExportRequest['kind'] | 'slice gaps'

interface Props extends ExploreProps {
  /** The name of the file without its ending. */
  stem: string
  /** The name of the mode that the columns of a wide file are. */
  wideMode: string | undefined
}

/** Two modes: those of the rows and the columns of a slice, or the one that is ranked for each row of the other. */
interface ModePair {
  rows: number
  columns: number
}

/** Chooses what is saved, and saves it. */
export function ExportCard({ model, labels, onLabel, call, showError, stem, wideMode }: Props) {
  const cells = model.modes.reduce((product, { size, own = 0 }) => product * (size + own), 1)
  const question = defaultQuestion(model.modes)
  const [kind, setKind] = useState<Kind>(cells > MOST_CELLS ? 'top' : model.observed ? 'gaps' : 'cells')
  const [top, setTop] = useState<ModePair>({ rows: question.asked, columns: question.ranked })
  const [slice, setSlice] = useState<ModePair>(() => shapeOfFile(model.modes, wideMode) ?? top)
  const [most, setMost] = useState(10)
  const [queries, setQueries] = useState('')
  const [saved, setSaved] = useState('')
  const [isBusy, setBusy] = useState(false)
  const kinds: { value: Kind; text: string; isOffered?: boolean }[] = [
    {
      value: 'gaps',
      text: 'every cell that was not observed',
      isOffered: cells <= MOST_CELLS && model.observed,
    },
    { value: 'cells', text: 'every cell', isOffered: cells <= MOST_CELLS },
    { value: 'slice gaps', text: 'the gaps of a slice', isOffered: model.observed },
    { value: 'slice', text: 'a slice, a row per cell' },
    { value: 'wide', text: 'a slice as a table, inferred cells marked *' },
    {
      value: 'top',
      text: `the best ${model.modes[top.columns].name} for each ${model.modes[top.rows].name}`,
    },
    { value: 'queries', text: 'cells that I list' },
    { value: 'observed', text: 'the observed cells', isOffered: model.observed },
  ]
  const isSlice = kind === 'slice' || kind === 'slice gaps' || kind === 'wide'
  const { rows, columns } = isSlice ? slice : top
  /** Changes a mode of the pair; choosing the other one exchanges them. */
  const choosePair = (next: ModePair): void => {
    const isEqual = next.rows === next.columns
    const pair = isEqual ? { rows: columns, columns: rows } : next
    if (isSlice) setSlice(pair)
    else setTop(pair)
  }
  const others = model.modes.map((_, mode) => mode).filter((mode) => mode !== rows && mode !== columns)
  const save = async (): Promise<void> => {
    setBusy(true)
    setSaved('')
    try {
      const { file, rows: count, remark } = await call.exportTable(request())
      download(file, `${stem}-${kind.replace(' ', '-')}.csv`)
      setSaved(`${formatCount(count)} rows saved.${remark ? ` ${remark}` : ''}`)
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  const request = (): ExportRequest => {
    switch (kind) {
      case 'slice':
      case 'slice gaps':
        return { kind: 'slice', labels, rows, columns, onlyGaps: kind === 'slice gaps' }
      case 'wide':
        return { kind, labels, rows, columns }
      case 'top':
        return {
          kind,
          mode: columns,
          forMode: rows,
          most,
          minEntries: 1,
          skipObserved: model.observed || hasOwnRows(model),
        }
      case 'queries':
        return { kind, text: queries }
      default:
        return { kind }
    }
  }
  const modeSelect = (label: string, value: number, onChange: (mode: number) => void) => (
    <label class="field">
      <span class="field-head">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {model.modes.map(({ name }, mode) => (
          <option key={name} value={mode}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <div class="stack">
      <fieldset class="choices" aria-label="What to save">
        {kinds
          .filter(({ isOffered = true }) => isOffered)
          .map(({ value, text }) => (
            <label key={value} class="check">
              <input type="radio" name="export" checked={kind === value} onChange={() => setKind(value)} />
              {text}
            </label>
          ))}
      </fieldset>
      {(isSlice || kind === 'top') && (
        <div class="pair wide">
          {modeSelect(kind === 'top' ? 'For each' : 'Rows', rows, (mode) =>
            choosePair({ rows: mode, columns }),
          )}
          {modeSelect(kind === 'top' ? 'The best' : 'Columns', columns, (mode) =>
            choosePair({ rows, columns: mode }),
          )}
          {isSlice &&
            others.map((mode) => (
              <LabelField
                key={mode}
                {...model.modes[mode]}
                value={labels[mode]}
                onChange={(value) => onLabel(mode, value)}
                suggest={(text) => call.suggest(mode, text)}
              />
            ))}
          {kind === 'top' && (
            <label class="field">
              <span class="field-head">How many each</span>
              <input
                type="number"
                min={1}
                value={most}
                onInput={({ currentTarget }) =>
                  setMost(Math.max(1, Math.round(Number(currentTarget.value) || 1)))
                }
              />
            </label>
          )}
        </div>
      )}
      {kind === 'queries' && (
        <label class="field">
          <span class="field-head">
            A line per cell: {model.modes.map(({ name }) => name).join(', ')} (or drop a .csv with these
            columns)
          </span>
          <textarea
            rows={6}
            value={queries}
            onInput={({ currentTarget }) => setQueries(currentTarget.value)}
            onDrop={(event) => {
              const file = event.dataTransfer?.files[0]
              if (!file) return
              event.preventDefault()
              event.stopPropagation()
              void file.text().then(setQueries, showError)
            }}
          />
        </label>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button primary"
          disabled={isBusy || (kind === 'queries' && queries.trim() === '')}
          onClick={() => void save()}
        >
          {isBusy ? 'Saving …' : 'Save (.csv)'}
        </button>
      </div>
      <p class="soft small" role="status" data-testid="saved">
        {saved}
      </p>
      <p class="soft small">
        Predictions have the digits that their error leaves. Columns:{' '}
        {model.modes.map(({ name }) => name).join(', ')}, observed, prediction
        {model.hasIntervals ? ', and the ends of the 90% interval' : ''}.
      </p>
    </div>
  )
}

/** The modes of the rows and columns of a wide file; undefined if it was not wide. @param wideMode that of its columns */
function shapeOfFile(modes: readonly ModelMode[], wideMode: string | undefined): ModePair | undefined {
  const isWide = ({ name }: ModelMode): boolean =>
    wideMode !== undefined && (name === wideMode || name.includes(`(${wideMode})`))
  const columns = modes.findIndex(isWide)
  return columns < 0 ? undefined : { rows: columns === 0 ? 1 : 0, columns }
}
