/** The Python package: its own tests, with Debian's Python, and its installation without a network. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { waitFor } from '#lacuna/base/waits.js'

const PYTHON = '/usr/bin/python3'
const folder = fileURLToPath(new URL('../../python/', import.meta.url))
const LACUNA = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'lacuna-python-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Runs a program to its end; returns its code and all that it printed. */
function run(
  command: string,
  args: readonly string[],
  cwd = folder,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, LACUNA, PYTHONDONTWRITEBYTECODE: '1', PIP_NO_INDEX: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      output += piece
    })
  return waitFor(`the end of ${args.join(' ')}`, (resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

// Modules that need pandas and scikit-learn share a process, which takes seconds to import them; test_small needs neither.
it.each(['test_small', 'test_model test_estimators test_process test_docs'])(
  'the tests of the Python package pass: %s',
  async (names) => {
    const { code, output } = await run(PYTHON, [
      '-m',
      'unittest',
      ...names.split(' ').map((name) => `tests.${name}`),
    ])
    expect(code, output).toBe(0)
    expect(output).toMatch(/Ran \d+ tests?/)
  },
  600_000,
)

it('pip installs the package without a network, and it runs from there', async () => {
  const venv = join(scratch, 'venv')
  const steps: [string, string[]][] = [
    [PYTHON, ['-m', 'venv', '--system-site-packages', '--without-pip', venv]],
    [PYTHON, ['-m', 'pip', '--python', join(venv, 'bin/python'), 'install', '--no-index', folder]],
    [
      join(venv, 'bin/python'),
      ['-c', 'import lacuna; print(lacuna.__file__, lacuna.Server().run(["--version"]))'],
    ],
  ]
  let printed = ''
  for (const [command, args] of steps) {
    const { code, output } = await run(command, args, scratch)
    expect(code, output).toBe(0)
    printed = output
  }
  expect(printed).toContain(join('site-packages', 'lacuna'))
}, 600_000)
