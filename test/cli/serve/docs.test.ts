/** Every example of docs/serve.md runs as it is printed, on another port. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** An example with the address of this server. */
const here = (example: string): string =>
  example.replaceAll('http://127.0.0.1:4243/', served.url).replaceAll('http://127.0.0.1:4243', served.url)

it('the shell examples of docs/serve.md run', async () => {
  const examples = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  expect(examples).toHaveLength(2)
  const command = `lacuna() { '${process.execPath}' '${join(root, 'packages/cli/dist/lacuna.js')}' "$@"; }`
  // The server of these tests holds films.npz.
  await writeFilms(folder, 'copy.npz')
  for (const [, example] of examples) {
    const program = `${command}\n${here(example).replace('serve films.npz', 'serve copy.npz')}`
    const { stdout } = await run('bash', ['-c', program], { cwd: folder })
    const last = JSON.parse(stdout.trim().split('\n').at(-1)!)
    expect((last.answer ?? last).rows).toHaveLength(3)
  }
})

it('the operations of stdin in docs/serve.md are those there are', async () => {
  const { stdout } = await run('bash', [
    '-c',
    `echo '{"operation": "?"}' | '${process.execPath}' '${join(root, 'packages/cli/dist/lacuna.js')}' serve --stdio --quiet`,
  ])
  const [, list] = /there are (.*)\./.exec(stdout)!
  for (const name of list.split(', ')) expect(page).toContain(`\`${name}\``)
})

it('the TypeScript of docs/serve.md runs, and prints what it says', async () => {
  const [, program] = /```ts\n([\s\S]*?)```/.exec(page)!
  writeFileSync(join(folder, 'program.mjs'), here(program))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'packages/lacuna'), join(folder, 'node_modules/lacuna'))
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder })
  expect(stdout).toContain("{ sequence: 1, entries: 1, newRows: { user: [ 'eve' ] } }")
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
