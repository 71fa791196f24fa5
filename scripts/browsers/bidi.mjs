// Drives an installed Firefox by WebDriver BiDi, which needs no patched browser and no driver.
// @ts-check
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A page: `goto` an address, `evaluate` an expression to a value that JSON can hold, `screenshot` as PNG.
 * @typedef {{ goto(url: string): Promise<void>, evaluate(expression: string): Promise<any>, screenshot(): Promise<Buffer>,
 *   errors: string[], close(): Promise<void> }} DrivenPage
 */

/** Starts Firefox without a window and opens a page. @param {string} program @returns {Promise<DrivenPage>} */
export async function openFirefox(program) {
  const profile = mkdtempSync(join(tmpdir(), 'lacuna-firefox-'))
  const child = spawn(
    program,
    ['--headless', '--remote-debugging-port', '0', '--profile', profile, '--no-remote'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  /** @type {string} */
  const address = await new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (data) => {
      said += data
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? []
      if (found) resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`${program} has ended with ${code}: ${said}`)))
  })
  // Node 20 has WebSocket behind a flag (npm run browsers sets it), Node 22 without.
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`${address} does not answer.`))
  })
  let last = 0
  /** @type {Map<number, { resolve(result: any): void, reject(error: Error): void }>} */
  const waiting = new Map()
  /** @type {string[]} */
  const errors = []
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data))
    if (message.method === 'log.entryAdded' && message.params.level === 'error')
      errors.push(message.params.text)
    const waiter = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'error') waiter?.reject(new Error(message.message))
    else waiter?.resolve(message.result)
  }
  const send = (/** @type {string} */ method, /** @type {object} */ params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { context } = await send('browsingContext.create', { type: 'tab' })
  return {
    errors,
    goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async evaluate(expression) {
      const { result, exceptionDetails } = await send('script.evaluate', {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
        target: { context },
        awaitPromise: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.text)
      return result.value === undefined ? undefined : JSON.parse(result.value)
    },
    async screenshot() {
      const { data } = await send('browsingContext.captureScreenshot', { context })
      return Buffer.from(data, 'base64')
    },
    async close() {
      await send('browser.close', {}).catch(() => {})
      socket.close()
      if (child.exitCode === null) await new Promise((resolve) => child.on('exit', resolve))
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
