import type { NegativePolicy } from 'lacuna/internal'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ViewProps } from '../App.tsx'
import { useSetting } from '../address.ts'
import { chosenEngine } from '../engineChoice.ts'
import { figure, percent } from '../numbers.ts'
import { type Connection, connect } from '../solving/remote.ts'
import type { Progress, RunSettings } from '../solving/solving.ts'
import { useRun } from '../solving/useRun.ts'
import { forget, keep, recall } from '../storage.ts'
import { ErrorChart } from '../widgets/ErrorChart.tsx'
import { FileButton, FileDrop, useDrop } from '../widgets/FileDrop.tsx'
import { LambdaField } from '../widgets/LambdaField.tsx'
import { RunButton } from '../widgets/RunButton.tsx'
import { RunFigures } from '../widgets/RunFigures.tsx'
import { Slider } from '../widgets/Slider.tsx'
import { CareFields, ColumnsPanel } from './ColumnsPanel.tsx'
import { DataCard } from './DataCard.tsx'
import { Explorer } from './Explorer.tsx'
import type { Reading } from './opening.ts'
import type { DataSummary, ModelSummary, Opened } from './protocol.ts'
import { sampleTable } from './sample.ts'
import type { CompleteFunctions } from './worker.ts'

const ACCEPT = '.tns,.csv,.tsv,.txt,.dat,.json,.jsonl,.ndjson,.parquet,.npy,.npz,.gz'
/** Larger files are not kept over a reload. */
const MOST_KEPT = 200e6

interface KeptFile {
  file: File
  reading: Reading
}

interface KeptRun {
  bytes: Uint8Array
  model: ModelSummary
  history: Progress[]
}

export function CompleteView({ complain, settle }: ViewProps) {
  const [rank, setRank] = useSetting<number>('complete', 'rank', 6)
  const [lambdaText, setLambda] = useSetting<string>('complete', 'lambda', 'auto')
  const [heldOut, setHeldOut] = useSetting<number>('complete', 'heldout', 10)
  const [seed, setSeed] = useSetting<number>('complete', 'seed', 1)
  const [file, setFile] = useState<File>()
  const [opened, setOpened] = useState<Opened>()
  const [reading, setReading] = useState<Reading>({ negative: 'error', merge: 'error' })
  const [data, setData] = useState<DataSummary>()
  const [model, setModel] = useState<ModelSummary>()
  const [progress, setProgress] = useState<number>()

  const connection: Connection<CompleteFunctions> = useMemo(
    () =>
      connect(
        new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'complete' }),
        chosenEngine(),
      ),
    [],
  )
  const { call, onNews } = connection
  const run = useRun<ModelSummary>(
    connection,
    async (outcome, history) => {
      setModel(outcome)
      void keep('complete.run', { bytes: await call.modelFile(), model: outcome, history } satisfies KeptRun)
    },
    complain,
  )
  const lambda = lambdaText === 'auto' ? 'auto' : Math.max(0, Number(lambdaText) || 0)
  const settings = (changes: Partial<RunSettings> = {}): RunSettings => ({ rank, lambda, seed, ...changes })

  useEffect(() => onNews<number>('reading', setProgress), [])
  useEffect(() => void begin(), [])

  /** As it was before a reload. */
  async function begin(): Promise<void> {
    const [kept, past] = await Promise.all([
      recall<KeptFile>('complete.file'),
      recall<KeptRun>('complete.run'),
    ])
    if (!kept) return
    try {
      setFile(kept.file)
      const found = await call.inspect(kept.file)
      setOpened(found)
      if (found.kind === 'model') return setModel(found.model)
      setReading(kept.reading)
      setData(await call.read(kept.file, kept.reading))
      if (!past) return
      await call.restoreModel(past.bytes)
      setModel(past.model)
      run.reset(past.history)
    } catch {
      void forget('complete.file', 'complete.run') // it can be opened again; what is wrong with it will be said then
    }
  }

  async function open(next: File): Promise<void> {
    try {
      const found = await call.inspect(next)
      settle()
      dropRun()
      setFile(next)
      setOpened(found)
      setData(undefined)
      if (found.kind === 'model') {
        setModel(found.model)
        void keep('complete.file', { file: next, reading } satisfies KeptFile)
        return
      }
      // What is not clear is left to choose; a sentence says what.
      if (found.kind === 'table' && found.problem !== undefined) {
        setReading({ ...reading, choice: found.choice })
        return complain(new Error(found.problem))
      }
      await read(next, { ...reading, choice: found.kind === 'table' ? found.choice : undefined })
    } catch (error) {
      complain(error)
    }
  }

  /** Four habits of riding are hidden in it. */
  function openSample(): void {
    setRank(4)
    void open(sampleTable())
  }

  async function read(from: File, how: Reading): Promise<void> {
    setReading(how)
    dropRun()
    try {
      setProgress(0)
      setData(await call.read(from, how))
      settle()
      if (from.size < MOST_KEPT) void keep('complete.file', { file: from, reading: how } satisfies KeptFile)
      else void forget('complete.file')
    } catch (error) {
      setData(undefined)
      complain(error)
    } finally {
      setProgress(undefined)
    }
  }

  function dropRun(): void {
    run.reset()
    setModel(undefined)
    void forget('complete.run')
  }

  async function start(): Promise<void> {
    settle()
    setModel(undefined)
    try {
      await call.prepare(heldOut / 100, seed, rank)
      run.start(settings())
    } catch (error) {
      complain(error)
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
            Reading {file.name}: {percent(progress)}
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
                  ` Held-out entries are predicted with an error of ${figure(model.validation.rmse)} (RMSE).`}
              </p>
            )}
          </section>
        )}
        {model && run.status !== 'running' && (
          <Explorer name={opened.name} onModel={setModel} {...{ model, call, complain }} />
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
            <CareFields
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

/** An honest error: each entry was predicted by models that had not seen it. */
function OutOfFold({ rmse, by, verdict, hasNeighbours }: NonNullable<ModelSummary['outOfFold']>) {
  return (
    <>
      <p data-testid="verdict">
        Each has not seen some entries ({by}), and predicts them with an error of {figure(rmse)} (RMSE):{' '}
        {verdict}.
      </p>
      {hasNeighbours && (
        <p class="soft small">Residuals of neighbouring entries correct what the models say.</p>
      )}
    </>
  )
}

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
