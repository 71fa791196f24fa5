/** The pages of a model: components, slices, cells, rankings and fold-in, and buttons that save it. */
import { useEffect, useState } from 'preact/hooks'
import type { Remote } from '../../run/remote.ts'
import { download, Segmented } from '../../widgets/index.ts'
import type { Component, ModelSummary } from '../protocol.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import { ComponentsCard } from './ComponentsCard.tsx'
import { NewRowsCard } from './NewRowsCard.tsx'
import { PredictCard } from './PredictCard.tsx'
import { SliceCard } from './SliceCard.tsx'
import { TopCard } from './TopCard.tsx'

const pages = [
  { value: 'components', text: 'Components' },
  { value: 'slice', text: 'Slice' },
  { value: 'predict', text: 'Predict a cell' },
  { value: 'top', text: 'Best along a mode' },
  { value: 'new', text: 'New rows' },
] as const

type Page = (typeof pages)[number]['value']

interface Props {
  name: string
  model: ModelSummary
  /** Called with the model when new rows were folded in. */
  onModel(model: ModelSummary): void
  call: Remote<CompleteFunctions>
  showError(error: unknown): void
}

/** Shows a model one page at a time; the chosen row of each mode is common to all pages. */
export function Explorer({ name, model, onModel, call, showError }: Props) {
  const [page, setPage] = useState<Page>('components')
  const [components, setComponents] = useState<Component[]>([])
  const [labels, setLabels] = useState<string[]>(() => model.modes.map(() => ''))
  /** A row that was just folded in, to be chosen in its mode. */
  const [newRow, setNewRow] = useState<{ mode: number; label: string }>()

  useEffect(() => {
    call.components().then((found) => {
      setComponents(found)
      // The initial rows are the strongest of the first component.
      const initial = model.modes.map(() => '')
      for (const { modes, strongest } of found[0].modes)
        modes.forEach((mode, i) => {
          initial[mode] = strongest[0]?.labels[i] ?? ''
        })
      if (newRow) initial[newRow.mode] = newRow.label
      setLabels(initial)
    }, showError)
  }, [model])

  const stem = name.replace(/\.(tns|csv|tsv|npy|npz|txt|dat)(\.gz)?$/i, '')
  const shared = {
    model,
    labels,
    call,
    showError,
    onLabel: (mode: number, label: string) => setLabels(labels.map((old, m) => (m === mode ? label : old))),
  }
  return (
    <section class="card stack" aria-label="The model">
      <div class="explorer-head">
        <h2>The model</h2>
        <div class="buttons">
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
          <button
            type="button"
            class="button"
            onClick={() =>
              call.predictions().then((blob) => download(blob, `${stem}-predictions.csv`), showError)
            }
          >
            Predictions (.csv)
          </button>
        </div>
      </div>
      <Segmented<Page>
        label="View of the model"
        choices={pages.filter(({ value }) => value !== 'new' || !(model.models > 1))}
        value={page}
        onChange={setPage}
      />
      {page === 'components' && <ComponentsCard components={components} />}
      {page === 'slice' && <SliceCard {...shared} />}
      {page === 'predict' && <PredictCard {...shared} />}
      {page === 'top' && <TopCard {...shared} />}
      {page === 'new' && (
        <NewRowsCard
          {...shared}
          onFoldIn={(larger, mode, label) => {
            setNewRow({ mode, label })
            onModel(larger)
          }}
        />
      )}
    </section>
  )
}
