/** Sessions of the Complete view: what is stored belongs together, whatever tabs, reloads and other files do. */
import fc from 'fast-check'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { draw } from '#lacuna/base/random.js'
import {
  MOST_SESSIONS,
  SessionStore,
  type SessionSummary,
  type ValueStore,
} from '../../../packages/studio/src/complete/state/sessionStore.ts'
import type { RunRecord } from '../../../packages/studio/src/complete/state/state.ts'
import {
  lastSession,
  leaveSession,
  takeSession,
} from '../../../packages/studio/src/complete/state/tabSession.ts'
import { hashStream } from '../../../packages/studio/src/complete/worker/hashStream.ts'
import { checkProperty } from '../../properties.ts'
import { PATIENT, type Studio, startStudio, visit } from '../studio.ts'
import { completeQuickly, waitForStored } from './completing.ts'
import { fileOf, settingsOf } from './fakeWorker.ts'

/** A store in memory. */
function memoryStore(): ValueStore & { values: Map<string, unknown> } {
  const values = new Map<string, unknown>()
  return {
    values,
    storeValue: async (name, value) => values.set(name, value),
    loadValue: async <T>(name: string) => values.get(name) as T | undefined,
    listNames: async (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    removeValues: async (...names) => names.forEach((name) => void values.delete(name)),
  }
}

const reading = { negative: 'error', merge: 'error' } as const

/** A session of a file with this content. */
const sessionOf = (id: string, hash: string, changed = 0): SessionSummary => ({
  ...{ id, hash, name: `${id}.csv`, size: 1, reading, changed, runs: 0 },
})

const run: RunRecord = {
  ...{
    id: 1,
    began: 1,
    status: 'done',
    history: [],
    trials: [],
    tests: [],
    kind: 'quick',
    settings: settingsOf(1),
  },
}

describe('stored sessions', () => {
  it('a run or checkpoint of other content than that of the file is not returned', async () => {
    const sessions = new SessionStore(memoryStore())
    const session = sessionOf('a', 'hash-a')
    await sessions.save(session, fileOf('a.csv'), () => false)
    await sessions.saveRun('a', '1', { hash: 'hash-a', run, bytes: new Uint8Array(1) })
    await sessions.saveRun('a', '2', { hash: 'hash-b', run, bytes: new Uint8Array(2) })
    const checkpoint = { kind: 'quick', settings: settingsOf(1), reading, history: [], trials: [] } as const
    await sessions.saveCheckpoint('a', { ...checkpoint, hash: 'hash-b' })
    expect((await sessions.runs(session)).map(({ bytes }) => bytes.length)).toEqual([1])
    expect(await sessions.checkpoint(session)).toBeUndefined()
    await sessions.saveCheckpoint('a', { ...checkpoint, hash: 'hash-a' })
    expect(await sessions.checkpoint(session)).toMatchObject({ kind: 'quick' })
  })

  it('deleting a session leaves the others, and nothing of itself', async () => {
    const store = memoryStore()
    const sessions = new SessionStore(store)
    for (const id of ['a', 'ab']) {
      await sessions.save(sessionOf(id, id), fileOf(id), () => false)
      await sessions.saveRun(id, '1', { hash: id, run, bytes: new Uint8Array(1) })
    }
    await sessions.remove('a')
    expect((await sessions.list()).map(({ id }) => id)).toEqual(['ab'])
    expect([...store.values.keys()].filter((name) => name.startsWith('session:a:'))).toEqual([])
    expect(await sessions.runs(sessionOf('ab', 'ab'))).toHaveLength(1)
  })

  it('the oldest sessions beyond the limit go, but none that a tab has', async () => {
    const sessions = new SessionStore(memoryStore())
    for (let n = 0; n < MOST_SESSIONS + 4; n++)
      await sessions.save(sessionOf(`s${n}`, 'x', n), fileOf('x'), (id) => id === 's0')
    const left = (await sessions.list()).map(({ id }) => id)
    expect(left).toHaveLength(MOST_SESSIONS + 1)
    expect(left).toContain('s0')
    expect(left).toContain(`s${MOST_SESSIONS + 3}`)
    expect(left).not.toContain('s1')
  })

  it('of two sessions that a tab takes at once, the second one is its own', async () => {
    const values = new Map<string, string>()
    vi.stubGlobal('navigator', {})
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => values.set(key, value),
      removeItem: (key: string) => values.delete(key),
    })
    try {
      expect(await Promise.all([takeSession('a'), takeSession('b')])).toEqual([false, true])
      expect(lastSession()).toBe('b')
      const late = takeSession('c')
      leaveSession()
      expect(await late).toBe(false)
      expect(lastSession()).toBeUndefined()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('the hash of a file does not depend on its pieces, and differs for other bytes', async () => {
    const hash = (...pieces: Uint8Array[]): Promise<string> =>
      hashStream(
        new ReadableStream({
          start(controller) {
            for (const piece of pieces) controller.enqueue(piece)
            controller.close()
          },
        }),
      )
    await checkProperty(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), fc.nat(40), fc.nat(39), async (bytes, cut, at) => {
        const whole = await hash(bytes)
        expect(await hash(bytes.slice(0, cut), bytes.slice(cut))).toBe(whole)
        expect(await hash(Uint8Array.of(...bytes, 0))).not.toBe(whole)
        const changed = bytes.map((byte, n) => (n === at ? byte ^ 1 : byte))
        if (at < bytes.length) expect(await hash(changed)).not.toBe(whole)
      }),
    )
  })
})

describe('sessions of tabs', () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await startStudio()
  })
  afterAll(() => studio?.close())

  /** A table of products of two factors. */
  const table = (name: string, rows: number) => ({
    name,
    mimeType: '',
    buffer: Buffer.from(
      `who,what,value\n${Array.from(
        { length: 40 * rows },
        (_, n) =>
          `p${n % rows},t${Math.floor(n / rows)},${((n % rows) + 1) * (Math.floor(n / rows) + 2) + (draw(9, n) % 50)}`,
      )
        .filter((_, n) => draw(7, n) % 3 > 0)
        .join('\n')}\n`,
    ),
  })

  /** Opens another page of a context, as a tab. */
  async function openTab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.goto(`${studio.url}#complete?rank=2`)
    return page
  }

  it('two tabs never mix, and a session is reopened with its runs, and deleted', async () => {
    const { page: one, complaints } = await visit(studio, '#complete?rank=2')
    const two = await openTab(one.context())
    await one.getByLabel('Open a file …').first().setInputFiles(table('one.csv', 12))
    await expect.poll(() => one.getByTestId('size').textContent(), PATIENT).toBe('12 × 40')
    await two.getByLabel('Open a file …').first().setInputFiles(table('two.csv', 9))
    await expect.poll(() => two.getByTestId('size').textContent(), PATIENT).toBe('9 × 40')
    await completeQuickly(one)
    const component = one.getByRole('listitem', { name: 'Component 1' })
    await component.waitFor()
    const before = await component.textContent()
    await one.getByLabel('Evaluate on a test file …').setInputFiles(table('test.csv', 12))
    const test = one.getByTestId('test')
    const tested = await test.textContent()
    expect(tested).toContain('test.csv')
    await waitForStored(one, ':run:', ({ tests }) => tests === 1)
    await one.reload()
    await component.waitFor()
    expect(await component.textContent()).toBe(before)
    expect(await test.textContent()).toBe(tested)
    expect(await one.getByRole('heading', { name: 'one.csv' }).count()).toBe(1)
    expect(await one.getByTestId('size').textContent()).toBe('12 × 40')
    await two.reload()
    await expect.poll(() => two.getByTestId('size').textContent(), PATIENT).toBe('9 × 40')
    expect(await two.getByRole('listitem', { name: 'Component 1' }).count()).toBe(0)

    // The settings that are changed now belong to no run of this session.
    const rank = one.getByLabel('Rank, how many components')
    await rank.fill('5')
    await one.getByTestId('stale').waitFor()
    await one.getByRole('button', { name: 'Close', exact: true }).click()
    const list = one.getByRole('region', { name: 'Sessions' })
    expect(await list.getByRole('button', { name: 'Reopen two.csv' }).isDisabled()).toBe(true)
    await list.getByRole('button', { name: 'Reopen one.csv' }).click()
    await component.waitFor()
    expect(await component.textContent()).toBe(before)
    await expect.poll(() => rank.inputValue(), PATIENT).toBe('2')
    expect(await one.getByTestId('stale').count()).toBe(0)
    await one.getByRole('button', { name: 'Close', exact: true }).click()
    await list.getByRole('button', { name: 'Delete one.csv' }).click()
    await expect.poll(() => list.getByRole('listitem').count(), PATIENT).toBe(1)
    expect(complaints).toEqual([])
  })

  it.each(['Best', 'Quick'])(
    'a %s run that a reload interrupts goes on from its checkpoint',
    async (kind) => {
      const { page, complaints } = await visit(
        studio,
        `#complete?seconds=1800${kind === 'Quick' ? '&rank=64' : ''}`,
      )
      await page
        .getByLabel('Open a file …')
        .first()
        .setInputFiles(table('long.csv', kind === 'Best' ? 500 : 2500))
      await page.getByTestId('size').waitFor()
      await page.getByRole('button', { name: kind, exact: true }).click()
      // The run takes seconds, so that it is paused before its end. A paused run has a checkpoint; a search has one after its first seconds.
      if (kind === 'Quick') await page.getByRole('button', { name: 'Pause' }).click()
      await waitForStored(page, ':checkpoint$')
      await page.reload()
      const offer = page.getByRole('region', { name: 'Interrupted run' })
      await offer.waitFor()
      expect(await offer.textContent()).toMatch(
        kind === 'Best'
          ? /in its first trial|after (one trial|\d+ trials)/
          : /after \d+ epochs|at its beginning/,
      )
      await offer.getByRole('button', { name: 'Go on with the run' }).click()
      if (kind === 'Best') await page.getByRole('table', { name: 'Trials' }).waitFor()
      await page.getByRole('button', { name: 'Finish now' }).click()
      await page.getByRole('region', { name: 'Verdict' }).waitFor()
      expect(await offer.count()).toBe(0)
      expect(complaints).toEqual([])
    },
  )
})
