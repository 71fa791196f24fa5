import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { explainFileError } from '#lacuna/io/node/files/fileError.js'
import { type Input, withPath } from '#lacuna/io/node/files/input.js'
import { ownIdentity } from '#lacuna/io/node/files/owner.js'
import { removeAtExit } from '#lacuna/io/node/files/temporary.js'
import { replaceFiles, writeChunks } from '#lacuna/io/node/files/writeFileWhole.js'
import {
  answerTable,
  checkOutputs,
  openFile,
  readModel,
  readTensor,
  writeFileWhole,
  writeModel,
  writeTensor,
  writeTensors,
} from '#lacuna/io/node/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { rejection } from '../pieces.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (text: string) => new TextEncoder().encode(text)

async function content(path: string): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const piece of (await openFile(path)).source) parts.push(piece.slice())
  return Buffer.concat(parts).toString()
}

const manyLines = Array.from(
  { length: 200_000 },
  (_, e) => `${e + 1} ${(e % 7) + 1} ${(e * 31) % 1000}\n`,
).join('')

describe('openFile', () => {
  test('openFile reads the content, unpacked by name or by first bytes, and counts packed bytes', async () => {
    writeFileSync(at('a.tns'), manyLines)
    writeFileSync(at('a.tns.gz'), gzipSync(manyLines))
    writeFileSync(at('packed.tns'), gzipSync(manyLines))
    for (const name of ['a.tns', 'a.tns.gz', 'packed.tns']) {
      const file = await openFile(at(name))
      expect(file.byteLength).toBe(statSync(at(name)).size)
      expect(file.bytesRead()).toBe(0)
      let text = ''
      for await (const piece of file.source) text += Buffer.from(piece).toString('latin1')
      expect(text === manyLines).toBe(true)
      expect(file.bytesRead()).toBe(file.byteLength)
    }
  })

  test('openFile reads gzip of several members as one', async () => {
    writeFileSync(
      at('a.tns.gz'),
      Buffer.concat([gzipSync('1 1 1\n'), gzipSync('2 2 2\n'), gzipSync('3 3 3\n')]),
    )
    expect(await content(at('a.tns.gz'))).toBe('1 1 1\n2 2 2\n3 3 3\n')
  })

  test('openFile reads files of no or one byte', async () => {
    writeFileSync(at('none'), '')
    writeFileSync(at('one'), '1')
    expect(await content(at('none'))).toBe('')
    expect(await content(at('one'))).toBe('1')
  })

  test.each<[string, (packed: Buffer) => Uint8Array, string]>([
    [
      'truncated',
      (packed) => packed.subarray(0, packed.length >> 1),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'cut in the check sum',
      (packed) => packed.subarray(0, -3),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'cut in the header',
      (packed) => packed.subarray(0, 5),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'with a wrong check sum',
      (packed) => packed.map((byte, i) => (i === packed.length - 6 ? byte ^ 1 : byte)),
      'the gzip data is damaged',
    ],
    ['that is none', () => bytes('1 1 1\n'), 'the name ends in .gz, but this is no gzip file'],
    ['that is empty', () => new Uint8Array(0), 'the name ends in .gz, but this is no gzip file'],
  ])('openFile refuses gzip %s', async (_, damage, message) => {
    writeFileSync(at('a.tns.gz'), damage(gzipSync(manyLines)))
    const error = await rejection(readTensor(at('a.tns.gz')))
    expect(error.name).toBe('InputError')
    expect(error.message).toContain(`${at('a.tns.gz')}: ${message}`)
  })

  test('openFile refuses missing files and folders', async () => {
    expect((await rejection(openFile(at('a')))).message).toBe(
      `${at('a')}: there is no such file; check the name.`,
    )
    expect((await rejection(openFile(folder))).message).toBe(`${folder}: this is a folder; name a file.`)
  })
})

describe('writeFileWhole', () => {
  test('writeFileWhole replaces a file, packed if the name ends in .gz', async () => {
    writeFileSync(at('a.txt'), 'a much longer old content')
    chmodSync(at('a.txt'), 0o606)
    await writeFileWhole(at('a.txt'), [bytes('one '), bytes('two')])
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one two')
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o606)
    await writeFileWhole(at('a.gz'), [bytes('one '), bytes('two')])
    expect(gunzipSync(readFileSync(at('a.gz'))).toString()).toBe('one two')
    expect(readdirSync(folder).sort()).toEqual(['a.gz', 'a.txt'])
  })

  test('writeFileWhole writes through a link', async () => {
    mkdirSync(at('real'))
    writeFileSync(at('real/a'), 'old')
    symlinkSync(at('real/a'), at('link'))
    await writeFileWhole(at('link'), [bytes('new')])
    expect(readFileSync(at('real/a'), 'utf8')).toBe('new')
  })

  test.each(['a.txt', 'a.txt.gz'])(
    'writeFileWhole leaves %s as it was, and nothing else, if the chunks fail',
    async (name) => {
      writeFileSync(at(name), 'old')
      const failure = new Error('out of chunks')
      function* chunks() {
        yield bytes('half ')
        throw failure
      }
      expect(await rejection(writeFileWhole(at(name), chunks()))).toBe(failure)
      expect(readdirSync(folder)).toEqual([name])
      expect(readFileSync(at(name), 'utf8')).toBe('old')
    },
  )

  test('writeFileWhole leaves nothing behind if the last step fails', async () => {
    async function* chunks() {
      yield bytes('half')
      mkdirSync(at('a')) // now the temporary file cannot be renamed over it
    }
    const error = await rejection(writeFileWhole(at('a'), chunks()))
    expect(error.message).toBe(`${at('a')}: this is a folder; name a file.`)
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('writeFileWhole refuses paths that cannot be a file', async () => {
    expect((await rejection(writeFileWhole(folder, []))).message).toBe(
      `${folder}: this is a folder; name a file to write.`,
    )
    expect((await rejection(writeFileWhole('/dev/null', []))).message).toContain('this is a device or pipe')
    expect((await rejection(writeFileWhole(at('no/a'), []))).message).toBe(
      `${at('no/a')}: there is no folder ${at('no')}; create it first.`,
    )
    writeFileSync(at('file'), '')
    expect((await rejection(writeFileWhole(at('file/a'), []))).message).toContain(
      'a part of the path is a file',
    )
  })

  test.each([
    ['EACCES', 'you have no permission to write it'],
    ['ENOSPC', 'there is no space left to write it'],
    ['EIO', 'the system cannot write it (EIO)'],
  ])('the error code %s of a file becomes a sentence', (code, message) => {
    const error = explainFileError(
      Object.assign(new Error(code), { code, syscall: 'write' }),
      'a.tns',
      'write',
    )
    expect(error).toMatchObject({ name: 'InputError', message: expect.stringContaining(`a.tns: ${message}`) })
  })
})

describe('several files are one unit', () => {
  const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined)

  test('several files are written as one unit', async () => {
    writeFileSync(at('b'), 'old b')
    chmodSync(at('b'), 0o640)
    await replaceFiles(['a', 'b', 'c'].map((name) => writeChunks(at(name), [bytes(`new ${name}`)])))
    expect(['a', 'b', 'c'].map(text)).toEqual(['new a', 'new b', 'new c'])
    expect(statSync(at('b')).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'c'])
  })

  test.each([
    [
      'while one is written',
      function* () {
        yield bytes('half')
        throw new Error('out of chunks')
      },
    ],
    [
      'when one is put in its place',
      function* () {
        mkdirSync(at('c'))
        yield bytes('whole')
      },
    ],
  ])('of several files none is new if writing fails %s', async (_, chunks) => {
    for (const name of ['a', 'b']) writeFileSync(at(name), `old ${name}`)
    await rejection(
      replaceFiles([
        writeChunks(at('fresh'), [bytes('was not there before')]),
        writeChunks(at('a'), [bytes('new a')]),
        writeChunks(at('b'), [bytes('new b')]),
        writeChunks(at('c'), chunks()),
      ]),
    )
    expect(['a', 'b'].map(text)).toEqual(['old a', 'old b'])
    expect(readdirSync(folder).filter((name) => name !== 'c')).toEqual(['a', 'b'])
  })

  test('several files are one unit also if one is Parquet, which keeps its permissions', async () => {
    const tensor = {
      dims: [1, 1],
      indices: [Uint32Array.of(0), Uint32Array.of(0)],
      values: Float32Array.of(1),
    }
    writeFileSync(at('t.parquet'), 'old')
    chmodSync(at('t.parquet'), 0o604)
    await writeTensors([
      { path: at('t.parquet'), tensor },
      { path: at('t.csv'), tensor },
    ])
    expect(statSync(at('t.parquet')).mode & 0o777).toBe(0o604)
    expect((await readTensor(at('t.parquet'))).values).toEqual(tensor.values)
    const broken = { ...tensor, dims: [2, 1], labels: [['same', 'same'], undefined] }
    await rejection(
      writeTensors([
        { path: at('t.parquet'), tensor },
        { path: at('t.csv'), tensor: broken },
      ]),
    )
    expect(readdirSync(folder).sort()).toEqual(['t.csv', 't.parquet'])
    await answerTable(at('t.csv'), tensor, () => Float64Array.of(7), { output: at('t.parquet') })
    expect(statSync(at('t.parquet')).mode & 0o777).toBe(0o604)
    expect(readdirSync(folder).sort()).toEqual(['t.csv', 't.parquet'])
  })
})

/** Runs a program that writes the files a, b and c together, in a process of its own; returns its exit. */
async function writeInProcess(content: string, fault: object): Promise<[number | null, string | null]> {
  const module = new URL('../../../../packages/lacuna/dist/io/node/files/index.js', import.meta.url).href
  const layer = new URL('../../../../scripts/torture/faultyFiles.cjs', import.meta.url).pathname
  const program = `
    const { replaceFiles, writeChunks } = await import('${module}')
    const chunks = [new TextEncoder().encode('${content}'.repeat(1000))]
    await replaceFiles(['a', 'b', 'c'].map((name) => writeChunks('${folder}/' + name, chunks)))`
  const child = spawn(process.execPath, ['--require', layer, '--input-type=module', '-e', program], {
    env: { ...process.env, TORTURE_FAULT: JSON.stringify(fault) },
    stdio: 'inherit',
  })
  return (await once(child, 'exit')) as [number | null, string | null]
}

test('several files, of which a is new, are each the whole old or the whole new one after a kill at any call, and the next writer removes what is left', async () => {
  const hidden = () => readdirSync(folder).filter((name) => name.startsWith('.'))
  let kills = 0
  let mixed = 0
  for (let call = 1; ; call++) {
    for (const name of readdirSync(folder)) rmSync(at(name))
    for (const name of ['b', 'c']) writeFileSync(at(name), 'old')
    const [, signal] = await writeInProcess('new', { kind: 'kill', at: call, report: '/dev/null' })
    const texts = ['a', 'b', 'c'].map((name) =>
      existsSync(at(name)) ? readFileSync(at(name), 'utf8') : 'none',
    )
    const isNew = texts.map((text) => text === 'new'.repeat(1000))
    expect(texts.map((text, i) => (isNew[i] ? 'new' : text))).toEqual([
      isNew[0] ? 'new' : 'none',
      isNew[1] ? 'new' : 'old',
      isNew[2] ? 'new' : 'old',
    ])
    if (isNew.includes(true) && isNew.includes(false)) mixed++
    if (signal === null) {
      expect(isNew).toEqual([true, true, true])
      break
    }
    kills++
    await writeFileWhole(at('d'), [bytes('another file')])
    expect(hidden(), `after a kill at call ${call}`).toEqual([])
  }
  expect(hidden()).toEqual([])
  // Three files are opened, written, synced and renamed, two get permissions, one has a second link for a
  // while, and the folder is synced; an operation may count twice.
  expect(kills).toBeGreaterThanOrEqual(3 * 4 + 2 + 2 + 1)
  expect(mixed).toBe(2)
})

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

describe('what is written', () => {
  test.each<[string, (string | undefined)[], (string | undefined)[]]>([
    ['by its own path', ['in'], ['in']],
    ['by another path to it', ['./sub/../in'], ['in']],
    ['by a symbolic link', ['soft'], ['in']],
    ['by a hard link', ['hard'], ['in']],
    ['through a linked folder', ['linked/new'], ['sub/new']],
    ['if it is another output', ['new', 'new'], []],
    ['if it is another output by another path', ['new', undefined, 'sub/../new'], [undefined]],
  ])('an output never replaces a file of the same command %s', async (_, outputs, inputs) => {
    writeFileSync(at('in'), 'data')
    mkdirSync(at('sub'))
    symlinkSync(at('in'), at('soft'))
    linkSync(at('in'), at('hard'))
    symlinkSync(at('sub'), at('linked'))
    const place = (name: string | undefined) => (name === undefined ? undefined : join(folder, '.', name))
    const raw = (name: string | undefined) => (name?.startsWith('.') ? `${folder}/${name}` : place(name))
    if (inputs.includes('sub/new')) writeFileSync(at('sub/new'), '')
    const error = await rejection(checkOutputs(outputs.map(raw), inputs.map(raw)))
    expect(error).toMatchObject({ name: 'InputError', code: 'option' })
    expect(error.message).toMatch(/never replaces what it is made from|written twice/)
    await checkOutputs([at('other'), at('third')], [at('in'), at('soft'), '-'])
    await expect(checkOutputs([], ['-', '-'])).rejects.toThrow('stdin (-) can be read only once')
  })
})

describe('tensors and models by path', () => {
  const tensor = {
    dims: [3, 2],
    indices: [Uint32Array.of(0, 2), Uint32Array.of(1, 0)],
    values: Float32Array.of(0.1, 7),
  }

  test.each(['a.tns', 'a.tns.gz'])('the tensor %s is read as it was written', async (name) => {
    await writeTensor(at(name), tensor)
    expect(await readTensor(at(name))).toEqual(tensor)
    expect((await readTensor(at(name), { dims: [9, 9] })).dims).toEqual([9, 9])
  })

  test('progress ends at the length of the file', async () => {
    writeFileSync(at('a.tns.gz'), gzipSync(manyLines))
    const seen: number[][] = []
    await readTensor(at('a.tns.gz'), { onProgress: (...counts) => seen.push(counts) })
    const size = statSync(at('a.tns.gz')).size
    expect(seen.at(-1)).toEqual([size, size])
  })

  test.skipIf(!existsSync('/proc/self/fd'))(
    'a fault closes the file and names its path and line',
    async () => {
      writeFileSync(at('a.tns.gz'), gzipSync(`1 x 1\n${manyLines}`))
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      for (let i = 0; i < 5; i++) {
        const error = await rejection(readTensor(at('a.tns.gz')))
        expect(error.message).toContain(`${at('a.tns.gz')}, line 1: the index "x" of mode 2 is not a number`)
      }
      expect(open()).toBeLessThan(before + 5)
    },
  )

  test('a model is read as it was written', async () => {
    const model = new CpModel({
      dims: [1, 2],
      rank: 1,
      factors: [Float32Array.of(2), Float32Array.of(3, 4)],
      training: { seed: 1 },
    })
    await writeModel(at('m.npz'), model)
    expect(await readModel(at('m.npz'), 'single')).toEqual(model)
    expect((await rejection(readModel(at('n.npz'), 'single'))).message).toBe(
      `${at('n.npz')}: there is no such file; check the name.`,
    )
  })

  test('an unknown ending is refused with the known ones', async () => {
    const model = new CpModel({ dims: [1, 1], rank: 1, factors: [Float32Array.of(1), Float32Array.of(1)] })
    const tensors = ': the ending is not that of a tensor file; use .tns, .tns.gz, .np'
    const models = ': the ending is not that of a model file; use .npz.'
    expect((await rejection(readTensor('a.xyz'))).message).toBe(
      'a.xyz: the ending is not that of a tensor file; use .tns, .tns.gz, .npy, .npz, .mat, .h5, .nc, .zarr, .csv, .parquet, .arrow, .xlsx or another table.',
    )
    expect((await rejection(writeTensor(at('a.xls'), tensor))).message).toContain(at('a.xls') + tensors)
    expect((await rejection(readModel('a.json', 'single'))).message).toBe(`a.json${models}`)
    expect((await rejection(writeModel(at('a'), model))).message).toBe(at('a') + models)
    expect(readdirSync(folder)).toEqual([])
  })
})
