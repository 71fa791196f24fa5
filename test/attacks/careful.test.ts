/** Inputs with odd names, labels and cells: what a careful reader, writer and terminal must not do with them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRun } from '#lacuna/index.js'
import { readTable } from '#lacuna/io/node/index.js'
import { decodeRun, encodeRun } from '#lacuna/solver/run/checkpoint.js'
import { lacuna } from '../cli/lacuna.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-careful-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = (name: string): string => join(folder, name)
const TABLE = 'user,film,rating\na,x,1\nb,y,2\na,y,3\nb,q,4\nc,y,2\n'
beforeAll(() => writeFileSync(path('t.csv'), TABLE))

describe('names of files', () => {
  it('a name with [, ? or * is read as it is, by DuckDB, too', async () => {
    mkdirSync(path('dir[1]'))
    for (const name of ['data[1]', 'wh?t*', 'dir[1]/a']) {
      const run = await lacuna(['convert', 't.csv', `${name}.parquet`, '-q'], { cwd: folder })
      expect(run, run.stderr).toMatchObject({ code: 0 })
      writeFileSync(path(`${name}.csv`), TABLE)
      for (const args of [[`${name}.parquet`], [`${name}.csv`, '--query', 'SELECT * FROM data']]) {
        const { code, stdout, stderr } = await lacuna(['info', ...args, '--json'], { cwd: folder })
        expect({ name, code, stderr }).toMatchObject({ name, code: 0 })
        expect(JSON.parse(stdout)).toMatchObject({ entries: 5 })
      }
    }
    // A name that is also a pattern matches no other file.
    writeFileSync(path('data1.csv'), 'user,film,rating\nz,z,9\n')
    const { stdout } = await lacuna(['info', 'data[1].csv', '--query', 'SELECT * FROM data', '--json'], {
      cwd: folder,
    })
    expect(JSON.parse(stdout)).toMatchObject({ entries: 5, values: { max: 4 } })
  })
})

describe('cells', () => {
  it('a mark for a missing value in a mode of numbers is no label, and said', async () => {
    writeFileSync(path('na.csv'), 'userId,film,rating\n1,a,3\n2,b,4\nN/A,gone,5\n10,c,1\n')
    const remarks: string[] = []
    const tensor = await readTable(path('na.csv'), { onRemark: ({ text }) => remarks.push(text) })
    expect(tensor.labels).toEqual([
      ['1', '2', '10'],
      ['a', 'b', 'c'],
    ])
    expect(tensor.indices.map((column) => [...column])).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ])
    expect(tensor.modes?.[0].type).toBe('BIGINT')
    expect(remarks.join('\n')).toMatch(/one row is left out, since userId is "N\/A", which is taken as empty/)
  })

  it('a mark among texts is a label', async () => {
    writeFileSync(path('texts.csv'), 'user,film,rating\nann,a,3\nN/A,b,4\nbob,a,5\n')
    expect((await readTable(path('texts.csv'))).labels?.[0]).toEqual(['N/A', 'ann', 'bob'])
  })

  it('a first row beyond the sample is not taken for a table without rows', async () => {
    writeFileSync(path('long.csv.gz'), gzipSync(`a,b,c\n"${'x'.repeat(2e6)}",y,1\n`))
    writeFileSync(path('long.json.gz'), gzipSync(`[{"a":"${'x'.repeat(2e6)}","b":"y","c":1}]`))
    for (const name of ['long.csv.gz', 'long.json.gz'])
      await expect(readTable(path(name))).rejects.toThrow(/there is no whole (row|object) in the first/)
  })
})

/** Runs a command on a terminal, by script(1); what it has written there. */
const onTerminal = (command: string): string =>
  execFileSync('script', ['-qec', command, '/dev/null'], { cwd: folder, encoding: 'latin1' })

describe('a spreadsheet', () => {
  it('--safe-csv puts an apostrophe before what it would take for a formula, but not before numbers', async () => {
    writeFileSync(path('formula.csv'), '=user,n,rating\n=cmd(),-5,1\n@x,3,2\nann,-5,4\n')
    const asCsv = async (...args: string[]): Promise<string> => {
      const command = ['convert', 'formula.csv', '-', '--format', 'csv', '-q', ...args]
      return (await lacuna([...command, '--modes', '=user', 'n', '--value', 'rating'], { cwd: folder }))
        .stdout
    }
    expect(await asCsv()).toContain('"=cmd()",-5,1')
    const safe = await asCsv('--safe-csv')
    expect(safe).toMatch(/^"'=user","n","rating"\n/)
    for (const row of [`"'=cmd()",-5,1`, `"'@x",3,2`, '"ann",-5,4']) expect(safe).toContain(row)
    const { code, stderr } = await lacuna(['convert', 't.csv', 't.npz', '--safe-csv'], { cwd: folder })
    expect({ code, stderr }).toMatchObject({ code: 2 })
  })
})

describe('a terminal', () => {
  const main = new URL('../../packages/cli/dist/lacuna.js', import.meta.url).pathname
  it.skipIf(spawnSync('script', ['--version']).error)(
    'control characters of a header or label are escaped',
    () => {
      writeFileSync(path('red.csv'), TABLE.replace('user', 'user\x1b[31m').replaceAll('x,', 'x\x9b31m,'))
      const run = `${process.execPath} ${main}`
      const folds = onTerminal(`${run} complete red.csv --rank 1 --folds 2 -o e.npz`)
      expect(folds).toContain('the mean of each user\\x1b[31m')
      expect(folds).not.toContain('\x1b[31m')
      const csv = onTerminal(`${run} convert red.csv - --format csv -q`)
      expect(csv).toContain('user\\x1b[31m')
      expect(csv).not.toContain('\x1b[31m')
      expect(csv).not.toContain('\xc2\x9b')
    },
  )
})

describe('a full disk', () => {
  it('Parquet that does not fit is refused with the name of the output', async () => {
    const rows = Array.from({ length: 6_000 }, (_, n) => `u${n},${(n * 7919) % 10007},${Math.sqrt(n)}`)
    writeFileSync(path('many.csv'), `user,film,rating\n${rows.join('\n')}\n`)
    await lacuna(['complete', 't.csv', '--rank', '1', '-o', 'm.npz', '-q'], { cwd: folder })
    for (const command of ['convert many.csv full.parquet', 'predict m.npz many.csv -o full.parquet']) {
      const { code, stderr } = await lacuna(
        ['-c', `ulimit -f 16; ulimit -c 0; trap '' XFSZ; exec node "$0" ${command} -q`],
        { cwd: folder, shell: true },
      )
      expect({ command, code, stderr }).toMatchObject({ code: 2 })
      expect(stderr).toMatch(/(^|\n)lacuna: full\.parquet: the system cannot write it \(EFBIG\).*\n$/)
    }
  })
})

describe('a checkpoint', () => {
  it('whose JSON lacks a field is refused without the word undefined', async () => {
    const tensor = await readTable(path('t.csv'))
    const run = await startRun(tensor, { rank: 2, epochs: 2 })
    for await (const _ of run) break
    await run.save(path('a.run'))
    const state = decodeRun(readFileSync(path('a.run')), 'a.run')
    await run.close()
    const sentences: string[] = []
    for (const [key] of Object.entries(state.settings)) {
      const settings = { ...state.settings, [key]: undefined }
      try {
        decodeRun(Buffer.concat(encodeRun({ ...state, settings } as typeof state)), 'a.run')
      } catch (error) {
        sentences.push((error as Error).message)
      }
    }
    expect(sentences.length).toBeGreaterThan(3)
    expect(sentences.filter((text) => /undefined/.test(text))).toEqual([])
  })
})
