import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { type Input, withPath } from '#lacuna/io/node/files/input.js'
import { ownIdentity } from '#lacuna/io/node/files/owner.js'
import { removeAtExit } from '#lacuna/io/node/files/temporary.js'
import { writeFileWhole } from '#lacuna/io/node/index.js'
import { bytes } from '../pieces.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('temporary files', () => {
  const HEX = '0123456789ab'
  /** Writes a file under a hidden name; its times are `age` milliseconds ago. */
  function leave(name: string, age = 0): string {
    const time = new Date(Date.now() - age)
    writeFileSync(at(name), 'half')
    utimesSync(at(name), time, time)
    return name
  }

  test('temporary files in the folder of an output are removed if their process has ended, and not if it runs', async () => {
    const [pid, start, space] = ownIdentity().split('-')
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    const DAY = 86_400_000
    leave(`.a.${gone}-${start}-${space}-${HEX}.tmp`)
    leave(`.other.${gone}-${start}-${space}-${HEX}.old`)
    leave(`.lacuna-pipe.${gone}-${start}-${space}-${HEX}.tmp.csv.gz`)
    // The id is used again by another process, or by a thread.
    leave(`.a.${pid}-1-${space}-${HEX}.tmp`)
    // In another container or on another machine, where the process cannot be seen.
    leave(`.a.1-${start}-00000000-${HEX}.tmp`, 660_000)
    const others = [
      leave(`.a.${pid}-${start}-${space}-${HEX}.tmp`, DAY),
      leave(`.a.1-${start}-00000000-aaaaaaaaaaaa.tmp`, 540_000),
      leave('.a.tmp', DAY),
      leave(`.a.${gone}-${HEX}.tmp`, DAY),
    ]
    await writeFileWhole(at('a'), [bytes('whole')])
    expect(readdirSync(folder).sort()).toEqual([...others, 'a'].sort())
  })

  test.skipIf(spawnSync('unshare', ['-r', 'true']).status !== 0)(
    'a process in another namespace of process ids is not taken for one of this namespace',
    async () => {
      const module = new URL('../../../../packages/lacuna/dist/io/node/files/owner.js', import.meta.url).href
      const program = `const { ownIdentity, hasEnded } = await import('${module}')
        console.log(ownIdentity(), hasEnded(...process.argv[1].split('-')))`
      const node = [process.execPath, '--input-type=module', '-e', program, ownIdentity()]
      const [, , space] = ownIdentity().split('-')
      for (const proc of [['--mount-proc'], []]) {
        const { stdout } = spawnSync('unshare', ['-r', '--pid', '--fork', ...proc, ...node], {
          encoding: 'utf8',
        })
        expect(stdout).toMatch(/^1-[0-9a-z]+-[0-9a-f]{8} undefined\n$/)
        expect(stdout).not.toContain(space)
      }
    },
  )

  test('a process sets the times of its temporary files every 30 seconds', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const cancelRemoval = removeAtExit(at(leave('mine', 1_000_000)))
    const age = (): number => Date.now() - statSync(at('mine')).mtimeMs
    try {
      vi.advanceTimersByTime(29_000)
      expect(age()).toBeGreaterThan(900_000)
      vi.advanceTimersByTime(1_000)
      expect(age()).toBeLessThan(60_000)
    } finally {
      cancelRemoval()
      vi.useRealTimers()
    }
  })

  test('the contents of pipes and the files of DuckDB, in the folder of the system, are swept like others', async () => {
    const [, start, space] = ownIdentity().split('-')
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    const dead = `.lacuna-duckdb.${gone}-${start}-${space}-${HEX}.tmp`
    vi.stubEnv('TMPDIR', folder)
    const pipe = { isPipe: true, open: () => Readable.from([bytes('1 1 1')]) } as Partial<Input> as Input
    try {
      mkdirSync(at(dead))
      leave(`${dead}/half`)
      await withPath(pipe, '.csv', async (path) => {
        expect(readdirSync(folder)).toEqual([basename(path)])
        expect(path).toMatch(/\.lacuna-pipe\..*\.tmp\.csv$/)
      })
      leave(dead)
      const session = await openSession('a table')
      expect(readdirSync(folder)).toEqual([])
      session.close()
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('temporary files of a name of 255 bytes have names that are not longer', async () => {
    const name = 'é'.repeat(127)
    await writeFileWhole(at(name), [bytes('whole')])
    expect(readdirSync(folder)).toEqual([name])
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('temporary files are removed at %s', async (signal) => {
    const module = new URL('../../../../packages/lacuna/dist/io/node/index.js', import.meta.url).href
    const program = `
      const { writeFileWhole } = await import('${module}')
      const chunks = async function* () {
        yield new Uint8Array(1000)
        process.stdout.write('begun')
        await new Promise((resolve) => setTimeout(resolve, 60000))
      }
      await writeFileWhole(process.argv[1], chunks())`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, at('a')])
    await once(child.stdout, 'data')
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^\.a\.\d+-[0-9a-z]+-[0-9a-f]{8}-[0-9a-f]{12}\.tmp$/),
    ])
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([null, signal])
    expect(readdirSync(folder)).toEqual([])
  })
})
