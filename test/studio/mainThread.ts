/** Measures how long the tasks of a page's main thread take. */
import type { Page } from 'playwright-core'

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Microseconds of processor time. */
  tdur?: number
  args: { name?: string }
}

/**
 * Returns the duration, in milliseconds, of the longest task of the page's main thread while `during` runs.
 * Processor time, by Chromium's own trace: on a busy machine a task may wait for long in the middle.
 */
export async function longestTaskMs(page: Page, during: () => Promise<void>): Promise<number> {
  const session = await page.context().browser()!.newBrowserCDPSession()
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', '__metadata'], excludedCategories: ['*'] },
  })
  await during()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  await session.detach()
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const tasks = events.filter(
    ({ name, tdur, pid, tid }) =>
      name === 'ThreadControllerImpl::RunTask' &&
      tdur !== undefined &&
      mains.some((main) => main.pid === pid && main.tid === tid),
  )
  if (tasks.length === 0) throw new Error('The trace has no tasks.')
  return Math.max(...tasks.map(({ tdur }) => tdur!)) / 1000
}
