/** The readers that are fuzzed: each takes bytes as a file's content, and has seeds to start from. */
// @ts-check
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { crc32 } from '#lacuna/base/crc32.js'
import { InputError } from '#lacuna/base/inputError.js'
import { completeByFolds, decodeSearch, encodeSearch } from '#lacuna/folds.js'
import { complete, startRun, tensorFromArray } from '#lacuna/index.js'
import { decodeAnyModel, encodeEnsemble } from '#lacuna/io/array/ensembleFile.js'
import { encodeModel } from '#lacuna/io/array/modelFile.js'
import { startReading } from '#lacuna/io/drive/threads/pool.js'
import { textThreads } from '#lacuna/io/drive/threads/textThreads.js'
import { decodeTensorNpy, decodeTensorNpz, encodeDenseNpy, encodeTensorNpz } from '#lacuna/io/index.js'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { readImage, readTable, readTensor, writePng, writeTensor } from '#lacuna/io/node/index.js'
import { jsonTable, planRows, readPlanned, readRows, textTable } from '#lacuna/io/table/index.js'
import { compileTextKernel } from '#lacuna/io/text/index.js'
import { readTns } from '#lacuna/io/tns/index.js'
import { TnsParser } from '#lacuna/io/tns/parser.js'
import { decodeRun } from '#lacuna/solver/run/checkpoint.js'
import { bundleSources } from './bundle.mjs'

const NEGATIVE = { negative: /** @type {const} */ ('keep') }

/** A source of the bytes in pieces of a few bytes. @param {Uint8Array} bytes @param {number} [size] */
async function* pieces(bytes, size = 7) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** What of a tensor all readers agree about. @param {import('#lacuna/index.js').SparseTensor} tensor */
const digest = ({ dims, indices, values, labels, modes, weights, valueName }) => ({
  dims,
  indices,
  values,
  labels,
  modes,
  weights,
  valueName,
})
/** What of a model is checked by reading all of it. @param {any} model */
const digestModel = (model) => ({ dims: model.dims, labels: model.labels, training: model.training })

/** The modes and value of the Arrow file of test/lacuna/io/science. */
const LEVELS = { modes: ['site', 'code', 'day'], value: 'level' }
/** A file of test/lacuna/io/science. @param {string} name */
const science = (name) => readFileSync(new URL(`../lacuna/io/science/files/${name}`, import.meta.url))

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text)

/** The columns that a parser of .tns makes. @param {Uint8Array} bytes @param {WebAssembly.Module} [kernel] */
function parseTns(bytes, kernel) {
  const parser = new TnsParser({
    name: 'a.tns',
    layout: (n) => ({ order: Math.max(1, n - 1), hasValues: n > 1 }),
  })
  if (kernel) parser.useKernel(kernel)
  parser.push(bytes)
  const { indices, values, header } = parser.finish()
  return { indices, values, header }
}

/**
 * Makes all readers; the caller must close them, which removes their files and ends their threads.
 * @returns {Promise<{ readers: Record<string, import('./fuzz.mjs').Reader>, close(): Promise<void> }>}
 */
export async function makeReaders() {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-fuzz-'))
  const kernel = await compileTextKernel()
  const pool = startReading(3)
  /** Writes a file for a reader by path. @param {string} name @param {Uint8Array} bytes */
  const file = (name, bytes) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return path
  }
  /** Reads a table by its path, as the command line does. @param {string} name */
  const byPath = (name) => async (/** @type {Uint8Array} */ bytes) =>
    digest(await readTable(file(name, bytes), { ...NEGATIVE, threads: 1 }))
  /** Reads a tensor by its path, as the command line does. @param {string} name */
  const tensorByPath = (name) => async (/** @type {Uint8Array} */ bytes) =>
    digest(await readTensor(file(name, bytes), { ...NEGATIVE, threads: 1 }))
  /** Reads the text of a table by several threads. @param {Uint8Array} bytes */
  const byThreads = async (bytes) => {
    const source = { name: 'a.csv', path: file('threads.csv', bytes), open: () => pieces(bytes, 2 ** 16) }
    const table = await textTable([source])
    const threads = textThreads([source], table, table.dialect, () => ({ ...pool, close: async () => {} }))
    try {
      return digest(await readPlanned(await planRows(threads.table, NEGATIVE), threads))
    } finally {
      await threads.close()
    }
  }
  const table =
    'user,film,seen,rating\nann,x,2014-04-01,1\nbob,"y ""2""",2014-04-09,2.5\nann,z,,3\n,y,2014-05-01,4\n'
  const entries =
    '# lacuna {"dims":[3,4],"modes":[{"name":"a"},{"name":"b"}]}\n# c\n1 1 1.5\n3 4 -2e3\n\n2 2 .5\n'
  const json = '[{"u":"a","i":1,"r":2.5},\n{"u":"b","i":12345678901234567,"r":1,"x":{"y":[1]}}]'
  const tensor = tensorFromArray([
    [1, 2, null],
    [3, null, 4],
    [5, 1, 2],
  ])
  const named = { ...tensor, labels: [['p', 'q', 'r'], undefined], modes: [{ name: 'a' }, { name: 'b' }] }
  const { model } = await complete(named, { rank: 2, epochs: 2, threads: 1 })
  const folded = await completeByFolds(named, { rank: 1, epochs: 2, threads: 1 }, { folds: 2 })
  const run = await startRun(named, { rank: 1, epochs: 3, threads: 1 })
  for await (const _ of run) break
  const saved = await saveRun(run, join(folder, 'a.run'))
  const search = await saveSearch(named)
  await writeTensor(join(folder, 'seed.parquet'), named)
  await writePng(join(folder, 'seed.png'), {
    ...{ width: 6, height: 5, channels: 3, maximum: 255 },
    data: Uint8Array.from({ length: 90 }, (_, i) => (i * 31) % 251),
  })
  const zst = await packZstd(table, join(folder, 'seed.csv.zst'))
  const npz = Buffer.concat([...encodeTensorNpz(named)])
  /** @type {Record<string, import('./fuzz.mjs').Reader>} */
  const readers = {
    tns: {
      read: async (bytes) => digest(await readTns(pieces(bytes, 2 ** 16), { name: 'a.tns', ...NEGATIVE })),
      variants: {
        'in small pieces': async (bytes) =>
          digest(await readTns(pieces(bytes), { name: 'a.tns', ...NEGATIVE })),
        'by its path': tensorByPath('a.tns'),
      },
      seeds: [utf8(entries), utf8('1 1 1\n2 2 2\n')],
      tokens: [
        '# lacuna {',
        '{"mode":1,"labels":["a","b","c"]}',
        '"type":"DATE"',
        '"from":{"column":"a","binning":"week"}',
      ],
      every: 4,
    },
    lines: {
      read: (bytes) => parseTns(bytes),
      variants: { 'the kernel': (bytes) => parseTns(bytes, kernel) },
      seeds: [utf8(entries), utf8('1 2 3\n4 5 6\n')],
    },
    csv: {
      read: async (bytes) =>
        digest(
          await readRows(await textTable([{ name: 'a.csv', open: () => pieces(bytes, 2 ** 16) }]), NEGATIVE),
        ),
      variants: {
        'in small pieces': async (bytes) =>
          digest(await readRows(await textTable([{ name: 'a.csv', open: () => pieces(bytes) }]), NEGATIVE)),
        'by its path': byPath('a.csv'),
        'by threads': byThreads,
      },
      seeds: [
        utf8(table),
        utf8('1;2;3,5\n4;5;6,25\n'),
        utf8('a\tb\tc\n1\tN/A\t2\n2\t3\t4\n'),
        utf8('1::2::3\n4::5::6\n'),
      ],
      every: 8,
    },
    json: {
      read: async (bytes) =>
        digest(
          await readRows(await jsonTable([{ name: 'a.json', open: () => pieces(bytes, 2 ** 16) }]), NEGATIVE),
        ),
      variants: {
        'in small pieces': async (bytes) =>
          digest(await readRows(await jsonTable([{ name: 'a.json', open: () => pieces(bytes) }]), NEGATIVE)),
        'by its path': byPath('a.json'),
      },
      seeds: [
        utf8(json),
        utf8('{"a":"x","b":"y","c":1}\n{"a":"z","b":null,"c":2}\n{"a":"z","b":"y","c":2}\n'),
      ],
      tokens: ['{"a":', '\\u0000', '\\', '{}', '[[[[', '"a":"x"', '1e400', '1234567890123456789'],
      every: 4,
    },
    npy: {
      read: (bytes) => digest(decodeTensorNpy(bytes, 'a.npy', NEGATIVE)),
      seeds: [Buffer.concat([...encodeDenseNpy(tensor)])],
      tokens: [
        '<f8',
        '>i4',
        '|b1',
        '<u8',
        'True',
        'False',
        '(2, 2)',
        '(4294967296, 4294967296)',
        '()',
        "'descr'",
      ],
    },
    npz: { read: (bytes) => digest(decodeTensorNpz(bytes, 'a.npz', NEGATIVE)), seeds: [npz], mend: mendZip },
    model: {
      read: (bytes) => digestModel(decodeAnyModel(bytes, 'm.npz')),
      seeds: [encodeModel(model)],
      mend: mendZip,
    },
    ensemble: {
      read: (bytes) => digestModel(decodeAnyModel(bytes, 'e.npz')),
      seeds: folded ? [encodeEnsemble(folded.model)] : [],
      mend: mendZip,
    },
    checkpoint: {
      read: (bytes) => Object.keys(decodeRun(bytes, 'a.run').settings),
      seeds: [saved],
      mend: mendFrame,
    },
    search: {
      read: (bytes) => Object.keys(decodeSearch(bytes, 'a.run').settings),
      seeds: [search],
      mend: mendFrame,
    },
    gzip: {
      read: byPath('a.csv.gz'),
      seeds: [gzipSync(table), gzipSync(table.repeat(20))],
      // Half of the inputs are good gzip of a changed text.
      mend: (bytes) => (bytes.length % 2 === 0 ? bytes : repack(bytes)),
    },
    zstd: { read: byPath('a.csv.zst'), seeds: [zst] },
    parquet: { read: byPath('a.parquet'), seeds: [readFileSync(join(folder, 'seed.parquet'))] },
    image: {
      read: async (bytes) => {
        const { picture } = /** @type {any} */ (await readImage(file('a.png', bytes)))
        return [picture?.width, picture?.height]
      },
      seeds: [readFileSync(join(folder, 'seed.png'))],
    },
    // Not HDF5: its library is not ours, and single files take it long; test/lacuna/io/science cuts its files short.
    mat: {
      read: async (bytes) => digest(await readTensor(file('a.mat', bytes), { ...NEGATIVE, variable: 'X' })),
      seeds: [science('plain.mat'), science('packed.mat')],
    },
    zarr: {
      read: async (bytes) =>
        digest(await readTensor(file('a.zarr.zip', bytes), { ...NEGATIVE, variable: 'x' })),
      seeds: [science('data.zarr.zip')],
      mend: mendZip,
    },
    arrow: {
      read: async (bytes) => digest(await readTable(file('a.arrow', bytes), { ...NEGATIVE, ...LEVELS })),
      seeds: [science('lz4.arrow')],
    },
    xlsx: { read: byPath('a.xlsx'), seeds: [science('book.xlsx')] },
  }
  const { openFile, sessionFile, packFiles, unzip } = await bundleSources()
  // A session's data are recognized by their hash, which a changed file would not have.
  const packing = { ...packFiles, hashFile: async () => SESSION.summary.hash }
  readers.session = {
    read: async (bytes) => {
      const { summary, runs, tables } = await sessionFile.decodeSession(
        new File([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], 'a.lacuna'),
        packing,
      )
      return { summary, tables, runs: runs.map((/** @type {any} */ { run, folded }) => ({ run, folded })) }
    },
    seeds: [await saveSession(table, encodeModel(model), sessionFile.encodeSession, packing)],
    mend: mendZip,
  }
  readers.unzip = {
    read: async (bytes) => {
      await unzip.unzip(file('a.zip', bytes), folder, { 'ml/a.csv': 'unzipped.csv' })
      return readFileSync(join(folder, 'unzipped.csv'), 'latin1')
    },
    seeds: [zipOf(table, 0), zipOf(table, 6)],
    mend: mendZip,
  }
  const close = async () => {
    await pool.close()
    rmSync(folder, { recursive: true })
  }
  const onPage = pageReader(openFile)
  for (const [name, file] of [
    ['tns', 'a.tns'],
    ['csv', 'a.csv'],
    ['json', 'a.json'],
    ['gzip', 'a.csv.gz'],
  ]) {
    const reader = readers[name]
    reader.variants = { ...reader.variants, "the studio's page": onPage(file, reader.read) }
  }
  return { readers, close }
}

/**
 * Returns a function that reads bytes as a file that is opened in the studio's page, if `read` takes them: it refuses
 * more guesses. The page asks about roles of columns that the command line guesses, such as weeks of a time: where
 * they differ, the page must read the table or refuse it in one sentence.
 * @param {any} openFile
 * @returns {(name: string, read: import('./fuzz.mjs').Read) => import('./fuzz.mjs').Read}
 */
function pageReader({ inspectFile, readFile }) {
  return (name, read) => async (bytes) => {
    const tensor = /** @type {ReturnType<typeof digest>} */ (await read(bytes))
    const file = new File([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)], name)
    const { opened } = await inspectFile(file)
    const { choice } = opened
    const settings = { choice, negative: 'keep', merge: choice?.merge ?? 'error' }
    if (!choice || hasRoles(choice, tensor)) return digest((await readFile(file, settings, () => {})).tensor)
    await readFile(file, settings, () => {}).catch((/** @type {unknown} */ error) => {
      if (!(error instanceof InputError)) throw error
    })
    return tensor
  }
}

/**
 * Whether the page's choice of columns is that of a tensor that was read without one.
 * @param {import('../../packages/studio/src/complete/understanding/choice.ts').TableChoice} choice
 * @param {Pick<import('#lacuna/index.js').SparseTensor, 'modes' | 'valueName'>} tensor
 */
function hasRoles({ modes, value, melt, place, numberRows }, tensor) {
  if (melt !== undefined || place || numberRows || value !== tensor.valueName) return false
  return JSON.stringify(modes) === JSON.stringify(tensor.modes?.map(({ name }) => name))
}

/** Saves a run and closes it. @param {any} run @param {string} path @returns {Promise<Uint8Array>} */
async function saveRun(run, path) {
  await run.save(path)
  await run.close()
  return readFileSync(path)
}

/** The checkpoint of a search whose first model has been learned. @param {import('#lacuna/index.js').SparseTensor} tensor */
async function saveSearch(tensor) {
  /** @type {Uint8Array} */
  let saved = new Uint8Array(0)
  const controller = new AbortController()
  await completeByFolds(
    tensor,
    { rank: 1, epochs: 3, threads: 1, signal: controller.signal },
    {
      folds: 2,
      onModel: () => controller.abort(),
      checkpointing: {
        every: 0,
        save: async (state) => {
          saved = Buffer.concat(encodeSearch(state))
        },
      },
    },
  )
  return saved
}

/** What is stored of a session beside its data and models. */
const SESSION = {
  summary: {
    ...{ id: '', hash: 'aa', name: 'a.csv', size: 90, changed: 1, runs: 1 },
    reading: { negative: 'error', merge: 'error' },
  },
  run: {
    ...{ id: 1, began: 2, kind: 'quick', status: 'done', history: [{ epoch: 1 }], trials: [], tests: [] },
    settings: { rank: 1, lambda: 'auto', heldOut: 0.1, seed: 1, seconds: 60 },
  },
  tables: [{ kind: 'names', mode: 'film', file: 'b.csv', names: [['x', 'Film x']] }],
}

/** A session file of a table and a model. @param {string} text @param {Uint8Array} model @param {any} encode @param {any} packing */
async function saveSession(text, model, encode, packing) {
  const { summary, run, tables } = SESSION
  const runs = [{ hash: summary.hash, run, bytes: model, folded: ['ann,x,1'] }]
  const file = await encode({ summary, tables, runs, file: new File([text], 'a.csv') }, packing)
  return new Uint8Array(await file.arrayBuffer())
}

/** A zip file of a data set. @param {string} text @param {0 | 6} level of compression */
const zipOf = (text, level) =>
  zipSync({ 'ml/a.csv': utf8(text), 'ml/README.txt': utf8('a data set') }, { level })

/** Packs a text by zstd, which Node 20 cannot: by DuckDB. @param {string} text @param {string} path */
async function packZstd(text, path) {
  const session = await openSession('seed')
  const rows = text
    .trim()
    .split('\n')
    .map((line) => `('${line.replaceAll("'", "''")}')`)
  try {
    await session.run(
      `COPY (SELECT * FROM (VALUES ${rows.join(', ')})) TO '${path}' (HEADER false, QUOTE '', ESCAPE '', DELIMITER '\t', COMPRESSION zstd)`,
    )
  } finally {
    session.close()
  }
  return readFileSync(path)
}

/** Corrects the check sums of a zip of stored files, so that what it holds is read. @param {Uint8Array} bytes */
function mendZip(bytes) {
  const zip = Buffer.from(bytes)
  for (let at = zip.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0 && at + 46 <= zip.length; ) {
    const [start, length] = [zip.readUInt32LE(at + 42), zip.readUInt32LE(at + 24)]
    if (start + 30 <= zip.length) {
      const content = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
      zip.writeUInt32LE(crc32(zip.subarray(content, content + length)), at + 16)
    }
    at = zip.indexOf('PK\x01\x02', at + 4, 'latin1')
  }
  return zip
}

/** Corrects the check sum at the end of a checkpoint. @param {Uint8Array} bytes */
function mendFrame(bytes) {
  if (bytes.length < 8) return bytes
  const framed = Buffer.from(bytes)
  framed.writeUInt32LE(crc32(framed.subarray(0, framed.length - 4)), framed.length - 4)
  return framed
}

/** Packs what can be unpacked of gzip data anew. @param {Uint8Array} bytes */
function repack(bytes) {
  try {
    return gzipSync(gunzipSync(bytes, { finishFlush: 2, maxOutputLength: 2 ** 24 }))
  } catch {
    return bytes
  }
}
