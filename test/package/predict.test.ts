/** lacuna/predict: small, and running where there is neither a worker, nor WebAssembly, nor a module of Node. */
import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCompactModel } from '#lacuna/formats.js'
import {
  type CpModel,
  complete,
  decodeModel as decodeWhole,
  encodeModel,
  tensorFromRecords,
} from '#lacuna/index.js'
import { decodeModel } from '#lacuna/predict/index.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const PROGRAM = `import { decodeModel } from 'lacuna/predict'
globalThis.run = (bytes) => {
  const model = decodeModel(bytes, 'films.npz')
  const larger = model.foldIn([{ user: 'eve', film: 'f3', stars: 5 }])
  return JSON.stringify([
    model.predict({ user: 'u1', film: 'f2' }),
    model.top({ of: 'film', for: { user: 'u7' }, n: 3 }),
    larger.top({ of: 'film', for: { user: 'eve' }, n: 3 }),
  ])
}`
let code: string
let model: CpModel

beforeAll(async () => {
  const entry = `${root}packages/cli/program.js`
  const bundle = await rolldown({
    input: entry,
    cwd: root,
    platform: 'neutral',
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? PROGRAM : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  expect(output).toHaveLength(1)
  code = output[0].code
  const rows = Array.from({ length: 400 }, (_, i) => ({
    user: `u${i % 29}`,
    film: `f${(i * 7) % 23}`,
    stars: 1 + (i % 5),
  }))
  const unique = [...new Map(rows.map((row) => [`${row.user} ${row.film}`, row])).values()]
  const tensor = await tensorFromRecords(unique, { modes: ['user', 'film'], value: 'stars' })
  model = (await complete(tensor, { rank: 4, epochs: 10, threads: 1 })).model
})

describe('lacuna/predict', () => {
  it('is below 25 kB when it is bundled, minified and gzipped', () => {
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(25_000)
  })

  it('names no worker, no WebAssembly, no eval and no module of Node', () => {
    expect(code.match(/WebAssembly|\bWorker\b|\beval\(|new Function|node:|\brequire\(|\bprocess\./)).toBe(
      null,
    )
  })

  it('predicts, ranks and folds in as the whole library does, with the globals of the language and TextDecoder alone', () => {
    const context = createContext(
      { TextDecoder, TextEncoder },
      { codeGeneration: { strings: false, wasm: false } },
    )
    new Script('delete globalThis.WebAssembly').runInContext(context)
    new Script(code).runInContext(context)
    for (const bytes of [encodeModel(model), encodeCompactModel(model, 'int8')]) {
      context.bytes = bytes
      const answer = JSON.parse(new Script('run(new Uint8Array(bytes))').runInContext(context))
      const whole = decodeWhole(bytes, 'films.npz')
      const larger = whole.foldIn([{ user: 'eve', film: 'f3', stars: 5 }])
      expect(answer).toEqual(
        JSON.parse(
          JSON.stringify([
            whole.predict({ user: 'u1', film: 'f2' }),
            whole.top({ of: 'film', for: { user: 'u7' }, n: 3 }),
            larger.top({ of: 'film', for: { user: 'eve' }, n: 3 }),
          ]),
        ),
      )
    }
  })

  it('predicts many cells, updates rows, and refuses wrong cells by the sentences of the library', () => {
    const bytes = encodeModel(model)
    const small = decodeModel(bytes, 'films.npz')
    const columns = [Uint32Array.of(0, 1, 2), Uint32Array.of(3, 4, 5)]
    expect(small.predictMany(columns)).toEqual(model.predictMany(columns))
    const entries = [{ user: 'u1', film: 'f2', stars: 1 }]
    expect(small.foldIn(entries, { update: true }).factors).toEqual(
      model.foldIn(entries, { update: true }).factors,
    )
    expect(() => small.predict([0, 99])).toThrow(/index 99 in mode 2/)
    expect(() => small.predict({ user: 'nobody', film: 'f2' })).toThrow(/knows no user "nobody"/)
    expect(() => decodeModel(bytes.subarray(0, 300), 'films.npz')).toThrow(
      /films\.npz: the zip file is truncated/,
    )
  })
})
