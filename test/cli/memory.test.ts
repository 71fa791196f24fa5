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

it('the memory of complete is planned within a fifth of what it takes, for formats, folds and large factors', async () => {
  for (const made of [
    'synth --dims 5000x4000x300 --entries 800000 --rank 2 -o d.tns',
    'convert d.tns d.npz',
    'convert d.tns d.csv.gz',
    'synth --dims 5000x4000x300 --entries 150000 --rank 2 -o f.tns',
    'synth --dims 300000x100000x10 --entries 200000 --rank 2 -o wide.tns',
  ])
    expect((await run(made)).code, made).toBe(0)
  const short = '--prior isotropic --epochs 1'
  for (const args of [
    `d.tns ${short}`,
    `d.npz --test 0.1 ${short}`,
    `d.csv.gz ${short}`,
    `f.tns --folds 3 ${short}`,
    // Checkpoints are saved at once: they copy the factors.
    `wide.tns --rank 40 ${short} -o m.npz --checkpoint-every 0.001`,
  ]) {
    const ratio = await peakToPlan(args)
    expect(ratio, args).toBeGreaterThan(0.8)
    expect(ratio, args).toBeLessThan(1.2)
  }
})

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
  await run('synth --dims 4000x3000x200 --entries 100000 --rank 2 -o g.tns')
  const args = 'complete g.tns --folds 2 --prior isotropic --epochs 1 -q'
  for (const [limit, code] of [
    [110, 2],
    [400, 0],
  ]) {
    const group = makeGroup(limit)
    if (!group) return skip('no control group can be made here')
    try {
      const script = `echo $$ > ${group}/cgroup.procs && exec ${process.execPath} "$0" ${args}`
      const ended = await lacuna(['-c', script], { cwd, shell: true })
      expect(ended.code, ended.stderr).toBe(code)
      if (code === 2)
        expect(ended.stderr).toMatch(
          /^lacuna: g\.tns: about [\d,]+ entries of 3 modes would take [\d.]+ MiB of memory \(.*folds .*\); there are [\d.]+ MiB\. Use fewer threads .*\n$/,
        )
    } finally {
      rmdirSync(group)
    }
  }
})

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
