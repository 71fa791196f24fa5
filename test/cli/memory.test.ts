/**
 * The planned memory of a job is close to the measured, and a job that cannot fit is refused before reading.
 */
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { encodeNpy } from '#lacuna/formats.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-plan-'))
const run = (args: string) => lacuna(args.split(' '), { cwd })
afterAll(() => rmSync(cwd, { recursive: true }))

/** Runs `complete` in a process of its own; returns its peak, relative to the planned memory. */
async function peakToPlan(args: string): Promise<number> {
  const { code, stdout, stderr } = await lacuna(`complete ${args} --json`.split(' '), { cwd, alone: true })
  expect(code, stderr).toBe(0)
  const { plannedMemory, peakMemory } = JSON.parse(stdout)
  return peakMemory / plannedMemory
}

/** For each kind of job: how its data are made, and its options. Checkpoints copy the factors. */
const jobs: [kind: string, make: string[], args: string][] = [
  ['.tns', ['synth --dims 5000x4000x300 --entries 400000 --rank 2 -o d.tns'], 'd.tns'],
  ['.npz with held-out entries', ['convert d.tns d.npz'], 'd.npz --test 0.1'],
  ['.csv.gz', ['convert d.tns d.csv.gz'], 'd.csv.gz'],
  ['folds', ['synth --dims 5000x4000x300 --entries 60000 --rank 2 -o f.tns'], 'f.tns --folds 2'],
  [
    'large factors that are saved',
    ['synth --dims 300000x100000x10 --entries 100000 --rank 2 -o wide.tns'],
    'wide.tns --rank 30 -o m.npz --checkpoint-every 0.001',
  ],
]

it.each(jobs)(
  'the memory of complete is planned within a fifth of what it takes: %s',
  async (_, make, args) => {
    for (const command of make) expect((await run(command)).code, command).toBe(0)
    const ratio = await peakToPlan(`${args} --prior isotropic --epochs 1`)
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.2)
  },
  300_000,
)

const GROUPS = '/sys/fs/cgroup/memory'
/** Makes a control group (version 1) with a limit in MiB; undefined where this process may not. */
function makeGroup(limit: number): string | undefined {
  const folder = join(GROUPS, `lacuna-test-${process.pid}-${limit}`)
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, 'memory.limit_in_bytes'), String(limit * 2 ** 20))
    return folder
  } catch {
    return undefined
  }
}

it('folds that do not fit in the limit of a control group are refused, and those that do are learned', async ({
  skip,
}) => {
  writeFileSync(join(cwd, 'large.tns'), '12345 678 90 1.25\n'.repeat(500_000))
  await run('synth --dims 200x100x50 --entries 5000 --rank 2 -o small.tns')
  for (const [file, limit, code] of [
    ['large.tns', 150, 2],
    ['small.tns', 300, 0],
  ] as const) {
    const group = makeGroup(limit)
    if (!group) return skip('no control group can be made here')
    try {
      const args = `complete ${file} --folds 5 --prior isotropic --epochs 1 -q`
      const script = `echo $$ > ${group}/cgroup.procs && exec ${process.execPath} "$0" ${args}`
      const ended = await lacuna(['-c', script], { cwd, shell: true })
      expect(ended.code, ended.stderr).toBe(code)
      const refusal =
        /^lacuna: large\.tns: about 500,000 entries of 3 modes would take \d+ MiB of memory \(.*folds .*\); there are (\d+) MiB\. Use fewer threads .*\n$/
      if (code === 2) expect(Number(refusal.exec(ended.stderr)?.[1]), ended.stderr).toBeLessThan(260)
    } finally {
      rmdirSync(group)
    }
  }
}, 300_000)

it('a job that cannot fit in memory is refused in one sentence, whatever the size of the file', async () => {
  writeFileSync(join(cwd, 'huge.tns'), '12345 678 90 1.25\n'.repeat(20_000))
  truncateSync(join(cwd, 'huge.tns'), 2 ** 42)
  const dense = encodeNpy({ shape: [1, 1], data: new Float32Array(1) })
  const header = new TextDecoder('latin1').decode(dense.subarray(0, 128))
  writeFileSync(
    join(cwd, 'huge.npy'),
    Buffer.from(header.replace('(1, 1), }              ', '(900000, 900000, 9), }'), 'latin1'),
  )
  truncateSync(join(cwd, 'huge.npy'), 2 ** 42)
  for (const command of ['complete huge.tns', 'info huge.tns', 'complete huge.npy', 'info huge.npy']) {
    const { code, stderr, stdout } = await run(command)
    expect({ code, stdout }, command).toEqual({ code: 2, stdout: '' })
    expect(stderr, command).toMatch(
      /^lacuna: .* entries of [23] modes would take [\d.]+ [TP]iB of memory.*; there are [\d.]+ [MG]iB/,
    )
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }
})
