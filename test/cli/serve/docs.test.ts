/** The tables of docs/serve.md: requests and defaults. (test/docs runs its examples.) */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeFolder, post, type Served, serve, writeFilms } from './served.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'docs/serve.md'), 'utf8')
const run = promisify(execFile)
const folder = makeFolder()
let served: Served

beforeAll(async () => {
  await writeFilms(folder)
  const [, command] = /^ {4}lacuna serve (.*)$/m.exec(page)!
  served = await serve(command.split(' ').map((file) => join(folder, file)))
})
afterAll(() => served?.stop())

it('the operations of stdin in docs/serve.md are those there are', async () => {
  const { stdout } = await run('bash', [
    '-c',
    `echo '{"operation": "?"}' | '${process.execPath}' '${join(root, 'packages/cli/dist/lacuna.js')}' serve --stdio --quiet`,
  ])
  const [, list] = /there are (.*)\./.exec(stdout)!
  for (const name of list.split(', ')) expect(page).toContain(`\`${name}\``)
})

it('the request of every operation in docs/serve.md is answered', async () => {
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| .* \| `(\{.*\})` \|$/gm)]
  expect(rows.map(([, name]) => name)).toEqual(
    'predict top similar components fold-in update evaluate reload'.split(' '),
  )
  for (const [, name, request] of rows) {
    const response = await post(served.url, `v1/models/films/${name}`, request)
    expect([name, response.status, await response.text()]).toEqual([name, 200, expect.stringMatching(/^\{/)])
  }
})

it('the defaults of docs/serve.md are those of the help', async () => {
  const { stdout } = await run(
    process.execPath,
    [join(root, 'packages/cli/dist/lacuna.js'), 'serve', '--help'],
    {
      env: { ...process.env, COLUMNS: '200' },
    },
  )
  for (const [option, value] of [
    ['--max-body', 16 * 2 ** 20],
    ['--max-rows', 1_000_000],
    ['--max-waiting', 1000],
    ['--timeout', 30],
  ])
    expect(stdout).toMatch(new RegExp(`${option} .*\\(default: ${value}\\)`))
})
