/** The Complete view: opens a table, tensor or model, runs the solver and shows the model. */
import { formatPercent } from 'lacuna-figures/numbers'
import { useEffect, useRef } from 'preact/hooks'
import type { Incoming, ViewProps } from '../viewProps.ts'
import { download, FileButton, useDrop } from '../widgets/index.ts'
import { AbsentCells } from './data/AbsentCells.tsx'
import { ArraysCard } from './data/ArraysCard.tsx'
import { DataCard } from './data/DataCard.tsx'
import { GapMapCard } from './data/GapMapCard.tsx'
import { nameSheet } from './data/nameSheet.ts'
import { sampleTable } from './data/sampleTable.ts'
import { TablesList } from './data/TablesList.tsx'
import { UnderstoodCard } from './data/UnderstoodCard.tsx'
import { Explorer } from './explorer/Explorer.tsx'
import {
  CommandsCard,
  ModelCard,
  ProgressCard,
  ReadPanel,
  RunPanel,
  RunsCard,
  settingsOfExample,
  settingsToShow,
  useLearnSettings,
  VerdictCard,
} from './learn/index.ts'
import {
  ACCEPT,
  InterruptedCard,
  SecondFileCard,
  SessionsCard,
  useSecondFile,
  Welcome,
} from './opening/index.ts'
import { describeAttributes } from './sideTables.ts'
import { canStart, MOST_STORED_BYTES, questionsOf, shownRun, staleness, useComplete } from './state/index.ts'
import { isCounting, withFoundDates } from './understanding/index.ts'

/** The Complete view. Before a file is opened, it offers to open one or the sample. */
export function CompleteView(props: ViewProps) {
  const complete = useComplete(props)
  const { state, controller, call, keeper, sessions } = complete
  const second = useSecondFile(complete, props.showError)
  const countsRows = isCounting(state.reading.choice)
  const learn = useLearnSettings((sentence) => props.showError(new Error(sentence)), countsRows)
  const choices = { ...learn, settings: { ...learn.settings, features: describeAttributes(state.tables) } }
  const { source, pending, data } = state
  const run = shownRun(state)

  /** Opens a file. */
  const open = (file: File): void => void second.open(file)
  /** Opens the sample with rank 4, the number of its components. */
  const openSample = (): void => {
    choices.change({ rank: 4 })
    void controller.open(sampleTable())
  }
  /** Opens the files that App passes on; an example is run at once with its own settings. */
  const openIncoming = async ({ files, example }: Incoming): Promise<void> => {
    if (!example) return open(files[0])
    const changes = settingsOfExample(example.settings)
    choices.change(changes)
    if (await controller.open(files[0])) await controller.start('quick', { ...choices.settings, ...changes })
  }
  useEffect(() => {
    if (props.incoming?.files.length) void openIncoming(props.incoming)
  }, [props.incoming?.id])

  /** Saves the file, its runs and its names as one file that opens in another browser. */
  const saveSession = (): Promise<void> =>
    keeper.exportFile().then((file) => download(file, file.name), props.showError)

  // The meaning of unlisted cells is chosen for one file; for another one it is guessed again.
  const chosenFor = useRef(source?.id)
  useEffect(() => {
    if (chosenFor.current !== undefined && source)
      choices.change({ missing: countsRows ? 'zero' : undefined })
    chosenFor.current = source?.id ?? chosenFor.current
  }, [source?.id])

  // A session that is opened again shows the settings of its run, which else would be marked as changed.
  const { restoredSettings } = state
  useEffect(() => {
    if (restoredSettings) choices.change(settingsToShow(restoredSettings))
  }, [restoredSettings])

  const { over, handlers } = useDrop(open)
  if (!source)
    return (
      <>
        {pending && <Reading name={pending.file.name} fraction={pending.fraction} />}
        <Welcome onFile={open} onSample={openSample} />
        <SessionsCard {...{ sessions, keeper }} showError={props.showError} />
      </>
    )
  const stale = run && staleness(run, state, choices.settings)
  return (
    <div class={over ? 'columns over' : 'columns'} {...handlers}>
      <div class="stack">
        {pending && <Reading name={pending.file.name} fraction={pending.fraction} />}
        <SecondFileCard {...second} />
        {source.content.kind === 'table' && (
          <UnderstoodCard
            key={source.id}
            name={source.content.name}
            understanding={source.content.understanding}
            questions={questionsOf(state)}
            settings={state.reading}
            isReadAgain={data?.summary.isKept === false}
            isCompact={run !== undefined}
            onChange={(reading) => void controller.read(reading)}
            onSheet={(sheet) => open(nameSheet(source.file, sheet))}
          />
        )}
        {source.content.kind === 'tensor' && source.content.arrays && (
          <ArraysCard
            name={source.content.name}
            arrays={source.content.arrays}
            variable={state.reading.variable}
            onChoose={(variable) => void controller.read({ ...state.reading, variable })}
          />
        )}
        {data && (
          <div aria-busy={pending?.kind === 'read'} class={pending?.kind === 'read' ? 'outdated' : undefined}>
            <DataCard name={source.content.name} data={data.summary}>
              {(data.summary.isCounts || countsRows) && (
                <AbsentCells
                  isZero={choices.settings.missing === 'zero'}
                  onChange={(missing) => choices.change({ missing })}
                />
              )}
            </DataCard>
          </div>
        )}
        {data && source.file.size >= MOST_STORED_BYTES && (
          <p class="soft small" data-testid="not-stored">
            Files above {MOST_STORED_BYTES / 1e6} MB are not stored: after a reload, open {source.file.name}{' '}
            again; its runs are gone then, unless you save the session.
          </p>
        )}
        {props.incoming?.example && props.incoming.files.includes(source.file) && (
          <p class="soft small">{props.incoming.example.note}</p>
        )}
        {data && !pending && (
          <GapMapCard key={data.id} data={data.id} modes={data.summary.modes} isOpen={!run} call={call} />
        )}
        {source.content.kind === 'model' && <ModelCard {...source.content} />}
        {state.interrupted && (
          <InterruptedCard
            interrupted={state.interrupted}
            disabled={!canStart(state)}
            onGoOn={() => void controller.goOn()}
            onForget={() => controller.forget()}
          />
        )}
        <RunsCard
          runs={state.runs}
          shown={state.shown}
          onShow={(next) => {
            if (next.settings) choices.change(settingsToShow(next.settings))
            void controller.show(next)
          }}
          onRemove={(gone) => controller.remove(gone)}
        />
        {run && <VerdictCard run={run} stale={stale} onTest={(file) => void controller.test(run, file)} />}
        {run && <ProgressCard run={run} />}
        {run?.model && (
          <Explorer
            key={run.id}
            name={source.content.name}
            model={run.model}
            wideMode={run.data?.reading.choice?.melt}
            own={run.own}
            onOwn={(own) => controller.changeOwnRow(run, own)}
            onModel={(model) => controller.changeModel(run, model)}
            tables={state.tables}
            onNames={(file) => void controller.addTable(file, 'names')}
            call={call}
            showError={props.showError}
          />
        )}
        {run?.kind && run.settings && run.data && (
          <CommandsCard
            file={source.file.name}
            reading={withFoundDates(run.data.reading, run.data.summary.questions)}
            kind={run.kind}
            settings={run.settings}
          />
        )}
      </div>

      <aside class="card stack panel" aria-label="Settings">
        <div class="group">
          <h2>Data</h2>
          <div class="buttons">
            <FileButton accept={ACCEPT} label="Open a file …" onFile={open} />
            <button type="button" class="button" onClick={openSample}>
              Use the sample
            </button>
            <button type="button" class="button quiet" onClick={() => keeper.close()}>
              Close
            </button>
            <button type="button" class="button quiet" onClick={() => void saveSession()}>
              Save the session
            </button>
          </div>
          <TablesList tables={state.tables} onRemove={(table) => controller.removeTable(table)} />
        </div>
        {source.content.kind !== 'model' && (
          <>
            <ReadPanel
              content={source.content}
              reading={state.reading}
              onChange={(reading) => void controller.read(reading)}
            />
            <RunPanel {...{ state, controller, choices }} />
          </>
        )}
      </aside>
    </div>
  )
}

/** The progress of a file that is being opened or read. */
function Reading({ name, fraction }: { name: string; fraction: number }) {
  return (
    <p class="card soft" role="status" data-testid="reading">
      Reading {name}: {formatPercent(fraction)}
    </p>
  )
}
