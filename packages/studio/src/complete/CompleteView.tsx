/** The Complete view: opens a table, tensor or model, runs the solver and shows the model. */
import type { NegativePolicy } from 'lacuna/internal'
import { formatNumber, formatPercent } from 'lacuna-figures/numbers'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import { chosenEngine } from '../engineChoice.ts'
import type { Progress, RunSettings } from '../run/interactiveRun.ts'
import { type Connection, connect } from '../run/remote.ts'
import { useRun } from '../run/useRun.ts'
import { loadValue, removeValues, storeValue } from '../storage.ts'
import type { ViewProps } from '../viewProps.ts'
import {
  ErrorChart,
  FileButton,
  FileDrop,
  LambdaField,
  RunButton,
  RunFigures,
  Slider,
  useDrop,
} from '../widgets/index.ts'
import { ColumnsPanel, PolicyFields } from './data/ColumnsPanel.tsx'
import { DataCard } from './data/DataCard.tsx'
import { sampleTable } from './data/sampleTable.ts'
import { Explorer } from './explorer/Explorer.tsx'
import type { DataSummary, ModelSummary, Opened, ReadSettings } from './protocol.ts'
import type { CompleteFunctions } from './worker/worker.ts'

/** The endings of files that can be opened. */
const ACCEPT = '.tns,.csv,.tsv,.txt,.dat,.json,.jsonl,.ndjson,.parquet,.npy,.npz,.gz'
/** Larger files are not stored for a reload. */
const MOST_STORED_BYTES = 200e6

/** The stored file, and how it is read. */
interface StoredFile {
  file: File
  reading: ReadSettings
}

/** The stored result of a run. */
interface StoredRun {
  /** The model as an .npz file. */
  bytes: Uint8Array
  model: ModelSummary
  history: Progress[]
}

/** The Complete view. Before a file is opened, it offers to open one or the sample. */
export function CompleteView({ showError, clearError }: ViewProps) {
  const [rank, setRank] = useSetting<number>('complete', 'rank', 6)
  const [lambdaText, setLambda] = useSetting<string>('complete', 'lambda', 'auto')
  const [heldOut, setHeldOut] = useSetting<number>('complete', 'heldout', 10)
  const [seed, setSeed] = useSetting<number>('complete', 'seed', 1)
  const [file, setFile] = useState<File>()
  const [opened, setOpened] = useState<Opened>()
  const [reading, setReading] = useState<ReadSettings>({ negative: 'error', merge: 'error' })
  const [data, setData] = useState<DataSummary>()
  const [model, setModel] = useState<ModelSummary>()
  const [progress, setProgress] = useState<number>()

  const connection: Connection<CompleteFunctions> = useMemo(
    () =>
      connect(
        new Worker(new URL('./worker/worker.ts', import.meta.url), { type: 'module', name: 'complete' }),
        chosenEngine(),
      ),
    [],
  )
  const { call, onEvent } = connection
  const run = useRun<ModelSummary>(
    connection,
    async (outcome, history) => {
      setModel(outcome)
      void storeValue('complete.run', {
        bytes: await call.modelFile(),
        model: outcome,
        history,
      } satisfies StoredRun)
    },
    showError,
  )
  const lambda = lambdaText === 'auto' ? 'auto' : Math.max(0, Number(lambdaText) || 0)
  const settings = (changes: Partial<RunSettings> = {}): RunSettings => ({ rank, lambda, seed, ...changes })

  useEffect(() => onEvent<number>('reading', setProgress), [])
  useEffect(() => void restoreState(), [])

  /** Restores the state before a reload. */
  async function restoreState(): Promise<void> {
    const [stored, past] = await Promise.all([
      loadValue<StoredFile>('complete.file'),
      loadValue<StoredRun>('complete.run'),
    ])
    if (!stored) return
    try {
      setFile(stored.file)
      const content = await call.inspect(stored.file)
      setOpened(content)
      if (content.kind === 'model') return setModel(content.model)
      setReading(stored.reading)
      setData(await call.read(stored.file, stored.reading))
      if (!past) return
      await call.restoreModel(past.bytes)
      setModel(past.model)
      run.reset(past.history)
    } catch {
      void removeValues('complete.file', 'complete.run') // opening the file again shows what is wrong with it
    }
  }

  /** Opens a file: shows a model, reads a tensor or table, or lets the user choose the columns of a table. */
  async function open(next: File): Promise<void> {
    try {
      const content = await call.inspect(next)
      clearError()
      dropRun()
      setFile(next)
      setOpened(content)
      setData(undefined)
      if (content.kind === 'model') {
        setModel(content.model)
        void storeValue('complete.file', { file: next, reading } satisfies StoredFile)
        return
      }
      // The columns could not be guessed: the user chooses them.
      if (content.kind === 'table' && content.problem !== undefined) {
        setReading({ ...reading, choice: content.choice })
        return showError(new Error(content.problem))
      }
      await read(next, { ...reading, choice: content.kind === 'table' ? content.choice : undefined })
    } catch (error) {
      showError(error)
    }
  }

  /** Opens the sample with rank 4, the number of its components. */
  function openSample(): void {
    setRank(4)
    void open(sampleTable())
  }

  /** Reads a file into the worker, and shows and stores it. */
  async function read(from: File, how: ReadSettings): Promise<void> {
    setReading(how)
    dropRun()
    try {
      setProgress(0)
      setData(await call.read(from, how))
      clearError()
      if (from.size < MOST_STORED_BYTES)
        void storeValue('complete.file', { file: from, reading: how } satisfies StoredFile)
      else void removeValues('complete.file')
    } catch (error) {
      setData(undefined)
      showError(error)
    } finally {
      setProgress(undefined)
    }
  }

  /** Discards the run and its model, also the stored one. */
  function dropRun(): void {
    run.reset()
    setModel(undefined)
    void removeValues('complete.run')
  }

  /** Prepares and starts a run on the data with the current settings. */
  async function start(): Promise<void> {
    clearError()
    setModel(undefined)
    try {
      await call.prepare(heldOut / 100, seed, rank)
      run.start(settings())
    } catch (error) {
      showError(error)
    }
  }

  const { over, handlers } = useDrop((next) => void open(next))
  if (!file || !opened) return <Welcome onFile={(next) => void open(next)} onSample={openSample} />
  const last = run.history.at(-1)
  const table = opened.kind === 'table' && reading.choice

  return (
    <div class={over ? 'columns over' : 'columns'} {...handlers}>
      <div class="stack">
        {progress !== undefined && (
          <p class="card soft">
            ReadSettings {file.name}: {formatPercent(progress)}
          </p>
        )}
        {data && <DataCard name={opened.name} data={data} />}
        {opened.kind === 'model' && (
          <section class="card stack">
            <h2>{opened.name}</h2>
            <p class="soft">
              {opened.model.models > 1 ? `${opened.model.models} models` : 'A model'} of{' '}
              {opened.model.modes.map(({ name, size }) => `${size} ${name}`).join(' × ')}, rank{' '}
              {opened.model.rank}.
            </p>
            {opened.model.outOfFold && <OutOfFold {...opened.model.outOfFold} />}
          </section>
        )}
        {last && (
          <section class="card stack" aria-label="Progress">
            <dl class="figures">
              <RunFigures last={last} known="Error of the known" />
            </dl>
            <ErrorChart history={run.history} known="known entries" heldOut="held-out entries" />
            {run.status === 'done' && model?.stopped && (
              <p class="soft small" role="status">
                Done: {model.stopped}.
                {model.validation &&
                  ` Held-out entries are predicted with an error of ${formatNumber(model.validation.rmse)} (RMSE).`}
              </p>
            )}
          </section>
        )}
        {model && run.status !== 'running' && (
          <Explorer name={opened.name} onModel={setModel} {...{ model, call, showError }} />
        )}
      </div>

      <aside class="card stack panel" aria-label="Settings">
        <div class="group">
          <h2>Data</h2>
          <div class="buttons">
            <FileButton accept={ACCEPT} label="Open a file …" onFile={(next) => void open(next)} />
            <button type="button" class="button" onClick={openSample}>
              Use the sample
            </button>
          </div>
        </div>
        {opened.kind === 'table' && table && (
          <ColumnsPanel
            columns={opened.columns}
            choice={table}
            onChange={(choice) => void read(file, { ...reading, choice })}
          />
        )}
        {opened.kind !== 'model' && (
          <>
            <PolicyFields
              negative={reading.negative}
              onNegative={(negative: NegativePolicy) => void read(file, { ...reading, negative })}
              merge={table ? (table.value === undefined ? undefined : table.merge) : reading.merge}
              onMerge={(merge) =>
                void read(file, { ...reading, ...(table ? { choice: { ...table, merge } } : { merge }) })
              }
            />
            <div class="group">
              <h2>Model</h2>
              <Slider
                label="Rank, how many components"
                min={1}
                max={64}
                value={rank}
                onInput={(value) => {
                  setRank(value)
                  run.change(settings({ rank: value }))
                }}
              />
              <LambdaField
                lambda={lambda}
                found={last?.lambda}
                onChange={(value) => {
                  setLambda(String(value))
                  run.change(settings({ lambda: value }))
                }}
              />
              <Slider
                label="Hold out to check"
                min={0}
                max={50}
                step={5}
                value={heldOut}
                text={`${heldOut}%`}
                disabled={run.status !== 'idle'}
                onInput={setHeldOut}
              />
              <label class="field">
                <span class="field-head">Seed</span>
                <input
                  type="number"
                  min={0}
                  value={seed}
                  disabled={run.status !== 'idle'}
                  onInput={({ currentTarget }) =>
                    setSeed(Math.max(0, Math.round(Number(currentTarget.value) || 0)))
                  }
                />
              </label>
            </div>
            <div class="group">
              <div class="buttons">
                <RunButton
                  status={run.status}
                  start="Complete"
                  disabled={!data}
                  onStart={() => void start()}
                  onPause={run.pause}
                  onGoOn={() => run.goOn(settings())}
                />
              </div>
              {run.status !== 'idle' && (
                <button
                  type="button"
                  class="button quiet"
                  onClick={() => {
                    void call.drop()
                    dropRun()
                  }}
                >
                  Start over
                </button>
              )}
            </div>
          </>
        )}
      </aside>
    </div>
  )
}

/** The error of an ensemble on entries that its models had not seen. */
function OutOfFold({ rmse, by, verdict, hasNeighbours }: NonNullable<ModelSummary['outOfFold']>) {
  return (
    <>
      <p data-testid="verdict">
        Each has not seen some entries ({by}), and predicts them with an error of {formatNumber(rmse)} (RMSE):{' '}
        {verdict}.
      </p>
      {hasNeighbours && (
        <p class="soft small">Residuals of neighbouring entries correct what the models say.</p>
      )}
    </>
  )
}

/** The view before a file is opened. */
function Welcome({ onFile, onSample }: { onFile(file: File): void; onSample(): void }) {
  return (
    <div class="welcome">
      <FileDrop accept={ACCEPT} label="Open a file …" onFile={onFile}>
        <h2>Drop a table or a tensor with gaps</h2>
        <p class="soft">
          A <code>.csv</code>, <code>.json</code> or <code>.parquet</code> of ratings, counts or readings; a{' '}
          <code>.tns</code>; a <code>.npy</code> or <code>.npz</code> of NumPy’s; or a model that Lacuna
          saved.
        </p>
      </FileDrop>
      <div class="stack tight">
        <p class="soft">or begin with an example</p>
        <button type="button" class="button" onClick={onSample}>
          Bicycle trips in a made-up town
        </button>
      </div>
    </div>
  )
}
