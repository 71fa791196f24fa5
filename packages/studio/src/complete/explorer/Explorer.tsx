/** The pages of a model: components, slices, cells, rankings, fold-in, checks and files. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Remote } from '../../run/remote.ts'
import { download, FileButton, Segmented } from '../../widgets/index.ts'
import type { Component, OwnRow } from '../answers.ts'
import type { ModelSummary } from '../protocol.ts'
import type { SideTable } from '../sideTables.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import { ComponentsCard } from './components/ComponentsCard.tsx'
import { ShareBar } from './components/ShareBar.tsx'
import { ExportCard } from './ExportCard.tsx'
import { OwnRowCard } from './OwnRowCard.tsx'
import { PredictCard } from './PredictCard.tsx'
import { SliceCard } from './SliceCard.tsx'
import type { ExploreProps } from './shared/exploreProps.ts'
import { useAnswer } from './shared/useAnswer.ts'
import { TopCard } from './TopCard.tsx'
import { ValidationCard } from './ValidationCard.tsx'

const pages = [
  { value: 'components', text: 'Components' },
  { value: 'slice', text: 'Slice' },
  { value: 'predict', text: 'Predict a cell' },
  { value: 'top', text: 'Best along a mode' },
  { value: 'own', text: 'A row of your own' },
  { value: 'checks', text: 'Checks' },
  { value: 'save', text: 'Save predictions' },
] as const

type Page = (typeof pages)[number]['value']

interface Props {
  name: string
  model: ModelSummary
  /** The name of the mode that the columns of a wide file are. */
  wideMode: string | undefined
  /** The row of the user's own, which belongs to the session; undefined before it is begun. */
  own: OwnRow | undefined
  onOwn(own: OwnRow): void
  /** Called with the model when new rows were folded in. */
  onModel(model: ModelSummary): void
  /** Names and attributes of rows. */
  tables: readonly SideTable[]
  /** Reads names of rows from a file. */
  onNames(file: File): void
  call: Remote<CompleteFunctions>
  showError(error: unknown): void
}

/** Shows a model one page at a time; the chosen rows and the chosen component are common to all pages. */
export function Explorer(props: Props) {
  const { name, model, wideMode, own, onOwn, onModel, tables, onNames, call, showError } = props
  const [page, setPage] = useState<Page>('components')
  const [components, setComponents] = useState<Component[]>([])
  const [chosen, setChosen] = useState<number>()
  const [labels, setLabels] = useState<string[]>(() => model.modes.map(() => ''))
  /** A row that was just folded in, to be chosen in its mode. */
  const [newRow, setNewRow] = useState<{ mode: number; label: string }>()
  /** The tables whose names the chosen rows have. */
  const namedBy = useRef(tables)
  const { value: places } = useAnswer(() => call.places(), [model])

  useEffect(() => {
    call.components().then((found) => {
      setComponents(found)
      // The initial rows are the strongest of the first component.
      const initial = model.modes.map(() => '')
      for (const { modes, strongest } of found[0]?.modes ?? [])
        modes.forEach((mode, i) => {
          initial[mode] = strongest[0]?.labels[i] ?? ''
        })
      // Rows that were chosen stay while their names do.
      const isNamed = namedBy.current === tables && labels.some((label) => label !== '')
      namedBy.current = tables
      const next = isNamed ? labels.map((label, mode) => label || initial[mode]) : initial
      if (newRow) next[newRow.mode] = newRow.label
      setLabels(next)
    }, showError)
  }, [model, tables])

  const stem = name.replace(/\.(tns|csv|tsv|npy|npz|txt|dat)(\.gz)?$/i, '')
  const shared: ExploreProps = {
    ...{ model, labels, chosen, call, showError, tables },
    onChoose: setChosen,
    onLabel: (mode, label) => setLabels(labels.map((old, m) => (m === mode ? label : old))),
  }
  return (
    <section class="card stack" aria-label="The model">
      <div class="explorer-head">
        <h2>The model</h2>
        <div class="buttons">
          {model.modes.some(({ labelled }) => labelled) && (
            <FileButton accept=".csv,.tsv,.txt" label="Names of rows …" onFile={onNames} />
          )}
          <button
            type="button"
            class="button"
            onClick={() =>
              void import('./report.ts')
                .then(({ saveReport }) => saveReport(stem, model, call))
                .catch(showError)
            }
          >
            Report (.html)
          </button>
          <button
            type="button"
            class="button"
            onClick={() =>
              call
                .modelFile()
                .then(
                  (bytes) => download(new Blob([bytes as Uint8Array<ArrayBuffer>]), `${stem}-model.npz`),
                  showError,
                )
            }
          >
            Model (.npz)
          </button>
        </div>
      </div>
      <Segmented<Page> label="View of the model" choices={pages} value={page} onChange={setPage} />
      {components.length > 1 && <ShareBar components={components} chosen={chosen} onChoose={setChosen} />}
      {page === 'components' && (
        <ComponentsCard components={components} places={places} chosen={chosen} onChoose={setChosen} />
      )}
      {page === 'slice' && <SliceCard {...shared} />}
      {page === 'predict' && <PredictCard {...shared} />}
      {page === 'top' && <TopCard {...shared} />}
      {page === 'own' && (
        <OwnRowCard
          {...shared}
          {...{ own, onOwn }}
          onFoldIn={(larger, mode, label) => {
            setNewRow({ mode, label })
            onModel({ ...model, ...larger })
          }}
          onRemove={(smaller, gone) => {
            setNewRow(undefined)
            // A row that is gone cannot stay chosen; the next effect fills empty fields.
            setLabels(labels.map((label, mode) => (gone[mode]?.includes(label) ? '' : label)))
            onModel({ ...model, ...smaller })
          }}
        />
      )}
      {page === 'checks' && <ValidationCard {...shared} />}
      {page === 'save' && <ExportCard {...shared} {...{ stem, wideMode }} />}
    </section>
  )
}
