/** The comparison with other software: it finds what is installed, and writes a page and all raw figures. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { libmfError, splattError } from '../../bench/peers/builds.mjs'

const PEERS = fileURLToPath(new URL('../../bench/peers/peers.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lacuna-peers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const run = (...args: string[]) => promisify(execFile)(process.execPath, [PEERS, ...args], { cwd: folder })

it('Lacuna and ALS in NumPy both complete a product, and the page has machine, versions and figures', {
  timeout: 300_000,
}, async () => {
  const lines: string[][] = [[], []]
  for (let i = 1; i <= 12; i++)
    for (let j = 1; j <= 10; j++)
      for (let k = 1; k <= 6; k++)
        if ((i * 7 + j * 5 + k * 3) % 4 < 2)
          lines[(i + j + k) % 9 === 0 ? 1 : 0].push(
            `${i} ${j} ${k} ${(1 + i / 6) * (1 + j / 9) * (1 + k / 4)}\n`,
          )
  writeFileSync(join(folder, 'train.tns'), lines[0].join(''))
  writeFileSync(join(folder, 'test.tns'), lines[1].join(''))
  const { stdout } = await run(
    '--train',
    'train.tns',
    '--test',
    'test.tns',
    '--rank',
    '1',
    '--rounds',
    '1',
    '--only',
    'Lacuna',
    '--only',
    'NumPy',
    '-o',
    'out',
  )
  expect(readFileSync(join(folder, 'out/README.md'), 'utf8')).toBe(stdout)
  const { rows, machine, raw, absent } = JSON.parse(readFileSync(join(folder, 'out/results.json'), 'utf8'))
  expect(machine.node).toBe(process.version)
  expect(absent).toEqual(expect.arrayContaining(['SPLATT', 'PARTENSOR']))
  for (const peer of ['Lacuna', 'ALS in NumPy']) {
    expect(rows.find((row: { peer: string }) => row.peer === peer).RMSE).toBeLessThan(0.02)
    expect(raw[peer]).toHaveLength(1)
  }
})

it('a folder without the built program is refused in a sentence', { timeout: 300_000 }, async () => {
  await expect(run('--libmf', folder)).rejects.toThrow(/has no built program of LIBMF/)
})

it.each([
  [
    'bench/peers/peers.mjs',
    ['--train', 'train.tns'],
    /^--train and --test belong together: give --test, too\.\n$/,
  ],
  [
    'bench/peers/peers.mjs',
    ['--train', 'a.tns', '--test', 'b.tns'],
    /^--train: there is no file a\.tns\.\n$/,
  ],
  ['bench/peers/peers.mjs', ['--rounds', 'two'], /^--rounds must be a number, not two\..*\n$/],
  ['bench/peers/peers.mjs', ['--ranks', '3'], /^Unknown option '--ranks'\. --help prints the options\.\n$/],
  ['scripts/fuzz.mjs', ['--second', '3'], /^Unknown option '--second'\..*\n$/],
  ['scripts/fuzz.mjs', ['nps'], /^There is no reader nps\. The readers: tns, .*\n$/],
  ['scripts/torture.mjs', ['--minute', '1'], /^Unknown option '--minute'\..*\n$/],
  ['scripts/torture.mjs', ['--only', 'nothing'], /^There is no case nothing\. The cases: .*\n$/],
])(
  '%s %j is refused in a sentence, and --help prints the options',
  { timeout: 60_000 },
  async (script, args, sentence) => {
    const path = fileURLToPath(new URL(`../../${script}`, import.meta.url))
    const refused = await promisify(execFile)(process.execPath, [path, ...args], { cwd: folder }).catch(
      (error) => error,
    )
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(sentence)
    const { stdout } = await promisify(execFile)(process.execPath, [path, '--help'], { cwd: folder })
    expect(stdout).toMatch(/^npm run (peers|fuzz|torture) -- \[/)
  },
)

it('the output of SPLATT and LIBMF is read as their sources print it, and refused otherwise', () => {
  const printed =
    'epoch:  12   loss: 1.5e+01   RMSE-tr: 1.1e-01   RMSE-vl: 2.2e-01   time: 0.010s\n\nvalidation nnz: 9\nBEST VALIDATION RMSE: 0.20000 MAE: 0.1 (epoch 9)\n\ntest nnz: 8\nTEST RMSE: 0.31250 MAE: 0.2\n'
  expect(splattError(printed)).toBe(0.3125)
  expect(() => splattError(printed.replace('TEST RMSE', 'TEST'))).toThrow(/no line TEST RMSE/)
  expect(libmfError('1\n2.5\n', [1, 2])).toBeCloseTo(Math.sqrt(0.125), 12)
  expect(() => libmfError('1\n', [1, 2])).toThrow(/1 predictions for 2 entries/)
})
