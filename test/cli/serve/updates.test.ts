/** Updates of `lacuna serve`: nothing that was acknowledged is lost, and nothing is applied twice. */
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ModelStore } from '#cli/commands/serve/updates/modelStore.ts'
import { type CpModel, readModel } from '#lacuna/index.js'
import { lacuna } from '../lacuna.ts'
import { filmsOf, makeFolder, serve, writeFilms } from './served.ts'

const source = makeFolder()
let model: CpModel
beforeAll(async () => {
  await writeFilms(source)
  model = await readModel(join(source, 'films.npz'), 'single')
})

/** A folder of its own with the model. @returns the path of the model */
function copyModel(): string {
  const path = join(makeFolder(), 'films.npz')
  copyFileSync(join(source, 'films.npz'), path)
  return path
}

const stores: ModelStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

/** Opens the store of a model, without closing others of it: as after kill -9. The lock is that of this process. */
async function open(path: string, isReadOnly: boolean): Promise<ModelStore> {
  const store = await ModelStore.open(path, isReadOnly)
  stores.push(store)
  return store
}

/** The i-th update: a new user with two entries. */
const update = (i: number) => [
  { user: `new${i}`, film: `f${i % 20}`, stars: 1 + (i % 5) },
  { user: `new${i}`, film: `f${(i * 3 + 1) % 20}`, stars: 1 + ((i * 2) % 5) },
]
const logOf = (path: string): string => path.replace('.npz', '.updates.log')

/** The model after updates, computed by the library alone. */
const afterUpdates = (updates: readonly number[]): CpModel =>
  updates.reduce((before, i) => before.foldIn(update(i), { update: true }), model)

it('a model that got no updates is left without a log', async () => {
  const path = copyModel()
  const store = await ModelStore.open(path, false)
  expect(existsSync(logOf(path))).toBe(true)
  await store.close()
  expect(existsSync(logOf(path))).toBe(false)
})

describe('a server that is killed', () => {
  it('has every update that it acknowledged, and gives the same predictions as before', async () => {
    const path = copyModel()
    const first = await serve([path, '--quiet'])
    const acknowledged = new Map<number, number>()
    let next = 0
    const clients = Array.from({ length: 4 }, async () => {
      for (;;) {
        const i = next++
        // The kill fails the requests that are being answered.
        const answer = await filmsOf(first)
          .update(update(i))
          .catch(() => undefined)
        if (!answer) return
        acknowledged.set(answer.sequence, i)
        if (acknowledged.size === 40) void first.stop('SIGKILL')
      }
    })
    await Promise.all(clients)
    expect(await first.stop('SIGKILL')).toBe(null)
    expect(acknowledged.size).toBeGreaterThanOrEqual(40)

    const second = await serve([path, '--quiet'])
    const films = filmsOf(second)
    const { updates, modes } = await films.info()
    expect(updates).toBeGreaterThanOrEqual(acknowledged.size)
    expect(modes[0].size).toBe(30 + updates)
    const asked = [...acknowledged.values()].map((i) => ({ user: `new${i}`, film: 'f5' }))
    const predictions = await films.predict(asked)
    // Updates that were in the log but not acknowledged may be there as well; their rows tell which.
    const order = [...acknowledged].sort(([a], [b]) => a - b)
    if (updates === acknowledged.size) {
      const expected = afterUpdates(order.map(([, i]) => i))
      expect(predictions).toEqual(asked.map((cell) => Math.fround(expected.predict(cell))))
    }
    expect(await second.stop()).toBe(0)

    // A graceful stop has compacted the log; the file itself is as it was.
    expect(readFileSync(path).equals(readFileSync(join(source, 'films.npz')))).toBe(true)
    expect(existsSync(path.replace('.npz', '.updates.npz'))).toBe(true)
    const third = await serve([path, '--quiet'])
    expect(await filmsOf(third).predict(asked)).toEqual(predictions)
    expect(await third.stop()).toBe(0)
  }, 60_000)
})

describe('the store of a model', () => {
  it('gives the model that the library computes, also after it is opened again', async () => {
    const path = copyModel()
    const store = await open(path, false)
    expect(await store.update([{ entries: update(0) }, { entries: update(1) }])).toMatchObject([
      { sequence: 1, entries: 2, newRows: { user: ['new0'] } },
      { sequence: 2, entries: 2, newRows: { user: ['new1'] } },
    ])
    const expected = afterUpdates([0, 1])
    expect((store.model as CpModel).factors).toEqual(expected.factors)
    const again = await open(path, false)
    expect((again.model as CpModel).factors).toEqual(expected.factors)
    expect(again.sequence).toBe(2)
    await again.compact()
    const compacted = await open(path, false)
    expect(compacted.sequence).toBe(2)
    expect((compacted.model as CpModel).factors).toEqual(expected.factors)
  })

  it('refuses a wrong update and takes the others of the batch', async () => {
    const store = await open(copyModel(), false)
    const wrong = { entries: [{ user: 'a', film: 'f1', stars: -1 }] }
    const results = await store.update([{ entries: update(0) }, wrong, { entries: update(1) }])
    expect(results).toMatchObject([{ sequence: 1 }, { refused: { message: /stars is -1/ } }, { sequence: 2 }])
  })

  it('applies no update twice if a crash comes between compaction and the clearing of the log', async () => {
    const path = copyModel()
    const store = await open(path, false)
    await store.update([{ entries: update(0) }])
    const log = readFileSync(logOf(path))
    await store.compact()
    writeFileSync(logOf(path), log)
    const again = await open(path, false)
    expect(again.sequence).toBe(1)
    expect((again.model as CpModel).factors).toEqual(afterUpdates([0]).factors)
    await again.update([{ entries: update(1) }])
    expect((await open(path, true)).sequence).toBe(2)
  })

  it('cuts off a line that was being written, and refuses damage before the end', async () => {
    const path = copyModel()
    const store = await open(path, false)
    await store.update([{ entries: update(0) }])
    await store.update([{ entries: update(1) }])
    const whole = readFileSync(logOf(path))
    for (const cut of [1, 30, 100]) {
      writeFileSync(logOf(path), whole.subarray(0, whole.length - cut))
      expect((await open(path, false)).sequence).toBe(1)
    }
    // After the cut the log goes on where it was whole.
    const mended = await open(path, false)
    await mended.update([{ entries: update(2) }])
    expect((await open(path, true)).sequence).toBe(2)
    const damaged = Buffer.from(whole)
    damaged[whole.indexOf('new0')] ^= 1
    writeFileSync(logOf(path), damaged)
    await expect(open(path, false)).rejects.toThrow(/damaged at byte \d+; restore it from a backup/)
  })

  it('sets updates of another version of the file aside only if told so', async () => {
    const path = copyModel()
    const store = await open(path, false)
    await store.update([{ entries: update(0) }])
    await writeFilms(join(path, '..'), 'films.npz', 1)
    await expect(store.reload(false)).rejects.toThrow(/The file has changed, and the 1 updates/)
    await expect(open(path, false)).rejects.toThrow(/updates of another version of the model/)
    await store.reload(true)
    expect(store.sequence).toBe(0)
    expect(store.model.dims).toEqual([30, 20])
    expect(
      readdirSync(join(path, '..')).filter((name) => /\.updates\.log\.[0-9a-f]{12}$/.test(name)),
    ).toHaveLength(1)
    expect(await store.update([{ entries: update(1) }])).toMatchObject([{ sequence: 1 }])
  })

  it('compacts the log by itself when it has become long', async () => {
    const path = copyModel()
    const store = await open(path, false)
    const batch = Array.from({ length: 256 }, () => ({ entries: [{ user: 'u1', film: 'f1', stars: 2 }] }))
    await store.update(batch)
    expect(existsSync(path.replace('.npz', '.updates.npz'))).toBe(true)
    expect(readFileSync(logOf(path), 'utf8').split('\n')).toHaveLength(2)
    expect((await open(path, false)).sequence).toBe(256)
  })

  it('is refused to a second server, but not after the first was killed', async () => {
    const path = copyModel()
    const first = await serve([path, '--quiet'])
    const { code, stderr } = await lacuna(['serve', path], { alone: true })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/the process \d+ takes updates of this model/)])
    await first.stop('SIGKILL')
    expect(readFileSync(path.replace('.npz', '.updates.lock'), 'utf8')).toBe(`${first.child.pid}\n`)
    const second = await serve([path, '--quiet'])
    expect(await second.stop()).toBe(0)
  })

  it('refuses a row far beyond the last one, which would fill the memory', async () => {
    const folder = makeFolder()
    const { labels: _labels, modes: _modes, ...fields } = model.fields
    const { CpModel: Model, writeModel } = await import('#lacuna/index.js')
    await writeModel(join(folder, 'plain.npz'), new Model(fields))
    const store = await open(join(folder, 'plain.npz'), false)
    const entry = (row: number) => [{ entries: [{ mode_1: row, mode_2: 1, stars: 2 }] }]
    expect(await store.update(entry(4_000_000_000))).toMatchObject([
      { refused: { message: /new ones follow at once/ } },
    ])
    expect(await store.update(entry(31))).toMatchObject([{ newRows: { mode_1: ['31'] } }])
  })

  it('reads a log that another program has extended by nonsense up to the nonsense', async () => {
    const path = copyModel()
    const store = await open(path, false)
    await store.update([{ entries: update(0) }])
    appendFileSync(logOf(path), 'nonsense')
    expect((await open(path, false)).sequence).toBe(1)
  })
})
