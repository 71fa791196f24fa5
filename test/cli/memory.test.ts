/**
 * The planned memory of a job is close to the measured, and a job that cannot fit is refused before reading.
 */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { encodeNpy } from '#lacuna/formats.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-plan-'))
const run = (args: string) => lacuna(args.split(' '), { cwd })
afterAll(() => rmSync(cwd, { recursive: true }))

const inMiB = (text: string): number => {
  const [, amount, unit] = /([\d.]+) (MiB|GiB) of memory/.exec(text) ?? []
  return Number(amount) * (unit === 'GiB' ? 1024 : 1)
}

it('the memory of complete is planned within a fifth of what it takes, for .tns and .npz', async () => {
  expect((await run('synth --dims 5000x4000x300 --entries 3000000 --rank 2 -o d.tns')).code).toBe(0)
  expect((await run('convert d.tns d.npz')).code).toBe(0)
  for (const file of ['d.tns', 'd.npz'])
    for (const held of ['', ' --test 0.1']) {
      const { stdout, stderr } = await lacuna(`complete ${file} --epochs 1 --json${held}`.split(' '), {
        cwd,
        alone: true,
      })
      const planned = inMiB(stderr)
      const taken = JSON.parse(stdout).peakMemory / 2 ** 20
      expect(taken / planned, `${file}${held}: ${taken} of ${planned}`).toBeGreaterThan(0.8)
      expect(taken / planned, `${file}${held}: ${taken} of ${planned}`).toBeLessThan(1.15)
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
