import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { availableMemory, bytesLeftInCgroup1, bytesLeftInCgroup2, formatBytes } from '#lacuna/base/memory.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A control group of which these files are known. */
function group(name: string, files: Record<string, string>): string {
  const path = join(folder, name)
  mkdirSync(path)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

describe('memory of control groups', () => {
  it('A control group leaves its limit less the used memory, of which cached files are no part', () => {
    const two = group('two', {
      'memory.max': '1000000\n',
      'memory.current': '700000\n',
      'memory.stat': 'anon 200000\nfile 450000\nkernel 50000\nshmem 50000\ninactive_file 300000\n',
    })
    // 700,000 of which 400,000 can be given up: files, but not the shared memory among them.
    expect(bytesLeftInCgroup2(two)).toBe(1_000_000 - 300_000)
    const one = group('one', {
      'memory.limit_in_bytes': '1000000\n',
      'memory.usage_in_bytes': '700000\n',
      'memory.stat': 'cache 9\nrss 9\ntotal_cache 450000\ntotal_rss 200000\ntotal_shmem 50000\n',
    })
    expect(bytesLeftInCgroup1(one)).toBe(1_000_000 - 300_000)
  })

  it('A control group without a limit, or a missing one, limits nothing', () => {
    expect(
      bytesLeftInCgroup2(group('free2', { 'memory.max': 'max\n', 'memory.current': '5\n' })),
    ).toBeUndefined()
    const none = { 'memory.limit_in_bytes': '9223372036854771712\n', 'memory.usage_in_bytes': '5\n' }
    expect(bytesLeftInCgroup1(group('free1', none))).toBeUndefined()
    expect(bytesLeftInCgroup2(join(folder, 'nowhere'))).toBeUndefined()
  })
})

it('availableMemory is positive and less than the memory of the machine', () => {
  const available = availableMemory()
  expect(available).toBeGreaterThan(0)
  expect(available).toBeLessThan(totalmem())
  // Free memory is available, unless a group says otherwise; caches are, too.
  expect(available).toBeLessThan(2 * freemem() + totalmem())
})

it('formatBytes prints bytes in binary units', () => {
  expect([0, 1023, 1024, 1536, 150 * 2 ** 20, 2 ** 40].map(formatBytes)).toEqual([
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '1.5 KiB',
    '150 MiB',
    '1.0 TiB',
  ])
})
