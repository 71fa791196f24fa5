import { useEffect, useState } from 'preact/hooks'
import type { Remote } from '../solving/remote.ts'
import { download } from '../widgets/download.ts'
import { Segmented } from '../widgets/Segmented.tsx'
import { ComponentsCard } from './ComponentsCard.tsx'
import { NewRowsCard } from './NewRowsCard.tsx'
import { PredictCard } from './PredictCard.tsx'
import type { Component, ModelSummary } from './protocol.ts'
import { SliceCard } from './SliceCard.tsx'
import { TopCard } from './TopCard.tsx'
import type { CompleteFunctions } from './worker.ts'

const pages = [
  { value: 'components', text: 'Components' },
  { value: 'slice', text: 'Slice' },
  { value: 'predict', text: 'Predict a cell' },
  { value: 'top', text: 'Best along a mode' },
  { value: 'new', text: 'New rows' },
] as const

type Page = (typeof pages)[number]['value']

export interface ExploreProps {
  model: ModelSummary
  /** The row chosen in each mode. */
  labels: string[]
  onLabel(mode: number, label: string): void
  call: Remote<CompleteFunctions>
  complain(error: unknown): void
}

interface Props {
  name: string
  model: ModelSummary
  /** The model has got new rows. */
  onModel(model: ModelSummary): void
  call: Remote<CompleteFunctions>
  complain(error: unknown): void
}

/** What the model has learned, to look at and to ask. */
export function Explorer({ name, model, onModel, call, complain }: Props) {
  const [page, setPage] = useState<Page>('components')
  const [components, setComponents] = useState<Component[]>([])
  const [labels, setLabels] = useState<string[]>(() => model.modes.map(() => ''))
  /** A row that is new, and to be looked at. */
  const [chosen, setChosen] = useState<{ mode: number; label: string }>()

  useEffect(() => {
    call.components().then((found) => {
      setComponents(found)
      // Begin where most is going on: with what the first component is about.
      const begin = model.modes.map(() => '')
      for (const { modes, strongest } of found[0].modes)
        modes.forEach((mode, i) => {
          begin[mode] = strongest[0]?.labels[i] ?? ''
        })
      if (chosen) begin[chosen.mode] = chosen.label
      setLabels(begin)
    }, complain)
  }, [model])

  const stem = name.replace(/\.(tns|csv|tsv|npy|npz|txt|dat)(\.gz)?$/i, '')
  const shared = {
    model,
    labels,
    call,
    complain,
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
                  complain,
                )
            }
          >
            Model (.npz)
          </button>
          <button
            type="button"
            class="button"
            onClick={() =>
              call.predictions().then((blob) => download(blob, `${stem}-predictions.csv`), complain)
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
          onFolded={(larger, mode, label) => {
            setChosen({ mode, label })
            onModel(larger)
          }}
        />
      )}
    </section>
  )
}
