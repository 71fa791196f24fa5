/** The state of the Complete view without a browser: whatever the order of answers, what is shown belongs together. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CompleteController } from '../../../packages/studio/src/complete/state/controller.ts'
import { type Action, reduce } from '../../../packages/studio/src/complete/state/reducer.ts'
import {
  activeRun,
  type CompleteState,
  canStart,
  initialState,
  isSame,
  shownRun,
  staleness,
} from '../../../packages/studio/src/complete/state/state.ts'
import { checkProperty } from '../../properties.ts'
import { FakeWorker, fileOf, settingsOf, summaryOf } from './fakeWorker.ts'

/** Asserts what must hold of every state. */
function checkState(state: CompleteState): void {
  const { source, data, runs, shown, pending, reading } = state
  if (data) {
    expect(data.source).toBe(source?.id)
    // The fake worker names a file, and how it was read, in the summary of its data.
    expect(data.summary.remarks).toEqual([source?.file.name, data.reading.negative])
    if (!pending) expect(isSame(data.reading, reading)).toBe(true)
  }
  if (canStart(state)) expect(data && isSame(data.reading, reading) && !pending).toBe(true)
  for (const run of runs) if (run.data) expect(run.data.source).toBe(source?.id)
  if (shown !== undefined) expect(shownRun(state)).toBeDefined()
  expect(runs.filter(({ status }) => status === 'running' || status === 'paused').length).toBeLessThan(2)
  expect(new Set(runs.map(({ id }) => id)).size).toBe(runs.length)
}

/** Actions of a few jobs in any order, also ones that no controller would dispatch. */
const job = fc.integer({ min: 1, max: 6 })
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  job.map((n): Action => ({ type: 'open', job: n, file: fileOf(`f${n}.csv`) })),
  job.map((n): Action => ({ type: 'opened', job: n, content: { kind: 'tensor', name: `f${n}.csv` } })),
  job.map((n): Action => ({ type: 'jobFailed', job: n })),
  job.map((n): Action => ({ type: 'runFailed', job: n, fault: 'It failed.' })),
  job.map((n): Action => ({ type: 'pause', job: n })),
  job.map((n): Action => ({ type: 'resume', job: n })),
  job.map((n): Action => ({ type: 'show', run: n })),
  job.map((n): Action => ({ type: 'remove', run: n })),
  job.map((n): Action => ({ type: 'start', job: 100 + n, began: n, kind: 'quick', settings: settingsOf(n) })),
)

/** A controller whose worker answers when the test says so. */
function start(): { worker: FakeWorker; controller: CompleteController } {
  const worker = new FakeWorker()
  const hooks = { onState: () => {}, showError: () => {}, clearError: () => {} }
  return { worker, controller: new CompleteController(worker.connection, hooks) }
}

describe('the state of the Complete view', () => {
  it('whatever the order of actions, at most one run is active and the shown run is in the list', () => {
    checkProperty(
      fc.property(fc.array(anyAction, { maxLength: 60 }), (actions) => {
        let state = initialState
        for (const action of actions) {
          state = reduce(state, action)
          checkState(state)
        }
      }),
    )
  })

  it('whatever the order of answers, the shown data belong to the shown file and settings', async () => {
    await checkProperty(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ act: fc.constant('open' as const), name: fc.constantFrom('a.csv', 'b.csv', 'bad') }),
            fc.record({
              act: fc.constant('read' as const),
              negative: fc.constantFrom('error' as const, 'keep' as const, 'clip' as const),
            }),
            fc.record({ act: fc.constant('start' as const), rank: fc.integer({ min: 1, max: 3 }) }),
            fc.record({ act: fc.constantFrom('pause' as const, 'resume' as const, 'stop' as const) }),
            fc.record({ act: fc.constant('show' as const), nth: fc.nat(5) }),
            fc.record({ act: fc.constant('remove' as const), nth: fc.nat(5) }),
            // The worker answers one of the calls in flight.
            fc.record({ act: fc.constant('answer' as const), nth: fc.nat(5) }),
            fc.record({ act: fc.constant('answer' as const), nth: fc.nat(5) }),
          ),
          { maxLength: 40 },
        ),
        async (steps) => {
          const worker = new FakeWorker()
          const states: CompleteState[] = []
          const controller = new CompleteController(worker.connection, {
            onState: (state) => states.push(state),
            showError: () => {},
            clearError: () => {},
          })
          for (const step of steps) {
            const { runs, reading } = controller.state
            if (step.act === 'open') void controller.open(fileOf(step.name))
            else if (step.act === 'read') void controller.read({ ...reading, negative: step.negative })
            else if (step.act === 'start') void controller.start('quick', settingsOf(step.rank))
            else if (step.act === 'answer') await worker.answer(step.nth)
            else if (step.act === 'show' || step.act === 'remove')
              controller.apply({ type: step.act, run: runs[step.nth]?.id ?? 0 })
            else controller[step.act]()
            expect(worker.inFlight('start')).toBeLessThan(2)
            expect(worker.inFlight('inspect') + worker.inFlight('read')).toBeLessThan(2)
          }
          await worker.answerAll()
          states.forEach(checkState)
          // Every job has ended.
          expect(controller.state.pending).toBeUndefined()
          expect(activeRun(controller.state)).toBeUndefined()
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a file opened while another is read wins, and the read of the other is cancelled', async () => {
    const worker = new FakeWorker()
    const controller = new CompleteController(worker.connection, {
      onState: () => {},
      showError: (error) => {
        throw error
      },
      clearError: () => {},
    })
    const first = controller.open(fileOf('a.csv'))
    await worker.answer(0) // a.csv is a table; its read begins
    const second = controller.open(fileOf('b.csv'))
    expect(worker.cancelled).toEqual(['read'])
    await worker.answerAll()
    expect(await Promise.all([first, second])).toEqual([false, true])
    expect(controller.state.source?.file.name).toBe('b.csv')
    expect(controller.state.data?.summary).toEqual(summaryOf('b.csv', 'error'))
  })

  it('a run is marked stale by other settings and by another reading, and not by the order of fields', async () => {
    const { worker, controller } = start()
    void controller.open(fileOf('a.csv'))
    await worker.answerAll()
    void controller.start('quick', settingsOf(2))
    await worker.answerAll()
    const run = shownRun(controller.state)!
    expect(run.status).toBe('done')
    const { seed, ...rest } = settingsOf(2)
    expect(staleness(run, controller.state, { seed, ...rest })).toBeUndefined()
    expect(staleness(run, controller.state, settingsOf(3))).toBe('settings')
    void controller.read({ ...controller.state.reading, negative: 'clip' })
    expect(canStart(controller.state)).toBe(false)
    await worker.answerAll()
    expect(staleness(run, controller.state, settingsOf(2))).toBe('reading')
    // Going back to the run shows its data again.
    controller.apply({ type: 'show', run: run.id })
    expect(controller.state.data).toBe(run.data)
    expect(staleness(run, controller.state, settingsOf(2))).toBeUndefined()
  })

  it('a run that fails says why, and the run that was shown before it is shown again', async () => {
    const { worker, controller } = start()
    void controller.open(fileOf('a.csv'))
    await worker.answerAll()
    for (const rank of [1, 2]) {
      void controller.start('quick', settingsOf(rank))
      await worker.answerAll()
    }
    const [first, second] = controller.state.runs
    controller.apply({ type: 'show', run: first.id })
    void controller.start('quick', { ...settingsOf(1), lags: 'bad' })
    await worker.answerAll()
    expect(controller.state.runs.map(({ status }) => status)).toEqual(['done', 'done', 'failed'])
    expect(controller.state.runs[2].fault).toBe('There is no mode “bad”.')
    expect(controller.state.shown).toBe(first.id)
    expect(second.fault).toBeUndefined()
  })

  it('names that are read while another file is opened belong to neither', async () => {
    const { worker, controller } = start()
    void controller.open(fileOf('a.csv'))
    await worker.answerAll()
    void controller.addTable(fileOf('names.csv'), 'names')
    void controller.addTable(fileOf('late.csv'), 'names')
    await worker.answer(0)
    // A run would be learned without the table that is still being read.
    expect(canStart(controller.state)).toBe(false)
    expect(controller.state.tables.map(({ file }) => file)).toEqual(['names.csv'])
    expect(worker.tables).toBe(controller.state.tables)
    void controller.open(fileOf('c.csv'))
    await worker.answer(1) // the content of c.csv, before the late names
    expect(controller.state.source?.file.name).toBe('c.csv')
    await worker.answerAll()
    expect(controller.state.tables).toEqual([])
    expect(worker.tables).toEqual([])
  })

  it('data and models that the page shows or awaits are never dropped by the worker', async () => {
    const { worker, controller } = start()
    void controller.open(fileOf('a.csv'))
    await worker.answerAll()
    void controller.start('quick', settingsOf(1))
    await worker.answerAll()
    void controller.read({ ...controller.state.reading, negative: 'keep' })
    await worker.answerAll()
    const [run] = controller.state.runs
    expect(worker.retained).toEqual(expect.arrayContaining([run.id, run.data!.id, controller.state.data!.id]))
    controller.apply({ type: 'remove', run: run.id })
    expect(worker.retained).toEqual([controller.state.data!.id])
  })
})
