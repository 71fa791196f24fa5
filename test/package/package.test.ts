/** npm pack → install → use: Node, the command line, bundlers and TypeScript, each from the tarball in an empty folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { build, createLogger, createServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { complete, synthetic } from '#lacuna/index.js'
import { install, node, type Packed, pack, run, write } from './packed.ts'
import { isolation, startBrowser, visit, withServer } from './pages.ts'

// Compilers and bundlers on few cores.
vi.setConfig({ testTimeout: 240_000 })

const PROBLEM = { dims: [60, 50, 40], entries: 20_000, rank: 3, seed: 1 }
const OPTIONS = { rank: 6, epochs: 4, threads: 2 }

/** What a user's program does, here and in every bundle: the same bits must come out. */
const PROGRAM = `import { complete, synthetic } from 'lacuna'
const { tensor } = synthetic(${JSON.stringify(PROBLEM)})
const { model } = await complete(tensor, ${JSON.stringify(OPTIONS)})
const bytes = await new Blob(model.factors).arrayBuffer()
globalThis.answer = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
if (!globalThis.document) console.log(globalThis.answer)
`
const PAGE = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`

/** The oldest and the newest version of TypeScript with a JavaScript API, installed beside the library; the repository's own is version 7. */
const typescripts = ['5.4', '6']

const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

let packed: Packed
let browser: Browser
/** The library and what bundles and checks it. */
let tools: string
let expected: string

beforeAll(async () => {
  packed = await pack()
  const compilers = typescripts.map((version) => `typescript-${version}@npm:typescript@${version}`)
  tools = await install(
    packed.folder,
    'tools',
    packed.library,
    'esbuild@0.28',
    'webpack@5',
    '@types/node@20',
    ...compilers,
  )
  write(tools, 'main.js', PROGRAM)
  write(tools, 'index.html', PAGE('/main.js'))
  browser = await startBrowser()
  const { model } = await complete(synthetic(PROBLEM).tensor, OPTIONS)
  const bytes = await new Blob(model.factors as Float32Array<ArrayBuffer>[]).arrayBuffer()
  expected = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
}, 300_000)
afterAll(async () => {
  await browser?.close()
  packed?.remove()
})

describe('the library', () => {
  it('the package lacuna depends on fflate alone and contains no file of the command line', () => {
    const lock = JSON.parse(readFileSync(join(tools, 'package-lock.json'), 'utf8')).packages
    expect(Object.keys(lock['node_modules/lacuna'].dependencies)).toEqual(['fflate'])
    for (const heavy of ['@duckdb', 'sharp', 'koffi', 'linkedom', '@observablehq'])
      expect(existsSync(join(tools, 'node_modules', heavy)), heavy).toBe(false)
    const files = filesOf('lacuna')
    expect(files.filter((file) => /^dist\/(cli|studio|paper|bench)\b|\.wasm$/.test(file))).toEqual([])
  })

  it('every module of the package lacuna but the embedded ones has a source map, no declaration has one', () => {
    const files = filesOf('lacuna').filter((file) => file.startsWith('dist'))
    const modules = files.filter((file) => file.endsWith('.js') && !file.startsWith('dist/embedded'))
    expect(files.filter((file) => file.endsWith('.map')).sort()).toEqual(
      modules.map((file) => `${file}.map`).sort(),
    )
    const mapped = files.filter(
      (file) => /\.(js|d\.ts)$/.test(file) && /sourceMappingURL/.test(read('lacuna', file)),
    )
    expect(mapped.sort()).toEqual(modules.sort())
  })

  it('the package lacuna solves a problem in Node', async () => {
    expect(await node(tools, 'main.js')).toBe(`${expected}\n`)
  })

  it('the library names in one sentence the package that a file, SQL or a job of processes needs', async () => {
    write(tools, 'x.parquet', 'PAR1????PAR1')
    write(tools, 'x.csv', 'a,b\nx,1\ny,2\n')
    write(tools, 'x.png', 'x')
    writeFileSync(join(tools, 'x.h5'), Buffer.from('\x89HDF\r\n\x1a\n', 'latin1'))
    write(tools, 'x.arrow', 'ARROW1')
    write(tools, 'x.xlsx', 'PK')
    mkdirSync(join(tools, 'x.zarr'), { recursive: true })
    const program = `import { readTensor, tensorFromArray, writeTensor } from 'lacuna'
      import { readImage } from 'lacuna/image'
      import { mpiEngine } from 'lacuna/mpi'
      const attempts = [
        () => readTensor('x.parquet'),
        () => writeTensor('y.parquet', tensorFromArray([[1, null], [3, 4]])),
        () => readTensor('x.csv', { modes: ['lower(a)', 'b'] }),
        ...['x.h5', 'x.zarr', 'x.arrow', 'x.xlsx'].map((name) => () => readTensor(name)),
        () => readImage('x.png'),
        () => mpiEngine(),
      ]
      for (const attempt of attempts)
        await attempt().then(() => console.log('?'), (e) => console.log(e.name + ' ' + e.message))`
    const sentences = (await node(tools, '--input-type=module', '--eval', program)).trimEnd().split('\n')
    const packages = [
      ...['@duckdb/node-api', '@duckdb/node-api', '@duckdb/node-api'],
      ...['h5wasm', 'zarrita', '@uwdata/flechette', 'read-excel-file', 'sharp', 'koffi'],
    ]
    expect(sentences).toEqual(
      packages.map((name) =>
        expect.stringMatching(
          new RegExp(`^InputError .*needs the package ${name}; install it with npm install ${name}\\.$`),
        ),
      ),
    )
    expect(existsSync(join(tools, 'y.parquet'))).toBe(false)
  })

  it('the library reads a table of text without any optional package', async () => {
    write(tools, 't.csv', 'user,film,stars\na,x,1\nb,y,2\na,y,3\n')
    const program = `import { complete, readTensor } from 'lacuna'
      const { model } = await complete(await readTensor('t.csv'), { rank: 1, epochs: 5 })
      console.log(model.modes.map(({ name }) => name).join(), model.predict({ user: 'a', film: 'y' }) > 1)`
    expect(await node(tools, '--input-type=module', '--eval', program)).toBe('user,film true\n')
  })
})

describe('the library in a bundle', () => {
  it('an esbuild bundle of the library for Node is one file that runs alone', async () => {
    const bin = join(tools, 'node_modules/esbuild/bin/esbuild')
    await run(
      tools,
      bin,
      'main.js',
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--outfile=alone/node/main.mjs',
    )
    expect(await node(join(tools, 'alone/node'), 'main.mjs')).toBe(`${expected}\n`)
  })

  it('an esbuild bundle of the library solves a problem in a browser', async () => {
    const bin = join(tools, 'node_modules/esbuild/bin/esbuild')
    await run(tools, bin, 'main.js', '--bundle', '--format=esm', '--minify', '--outfile=esbuild/main.js')
    write(tools, 'esbuild/index.html', PAGE('/main.js'))
    await isSolvedIn('esbuild')
  })

  it('an esbuild bundle of the library is mapped to its TypeScript sources without a warning', async () => {
    const program = `import { build } from 'esbuild'
      const settings = { platform: 'node', format: 'esm', bundle: true, sourcemap: true, logLevel: 'silent' }
      const { warnings } = await build({ ...settings, entryPoints: ['main.js'], outfile: 'mapped/main.js' })
      console.log(JSON.stringify(warnings))`
    expect(JSON.parse(await node(tools, '--input-type=module', '--eval', program))).toEqual([])
    const map = JSON.parse(readFileSync(join(tools, 'mapped/main.js.map'), 'utf8'))
    const sources: string[] = map.sources.filter((path: string) => path.includes('/lacuna/'))
    expect(sources.filter((path) => path.endsWith('/lacuna/src/tensor/checkTensor.ts'))).toHaveLength(1)
    const others = sources.filter((path) => !/\/lacuna\/src\/.*\.ts$/.test(path))
    expect(others.filter((path) => !path.includes('/lacuna/dist/embedded/'))).toEqual([])
    expect(map.sourcesContent).not.toContain(null)
  })

  it('Vite makes source maps of a bundle of the library without a warning', async () => {
    const warnings: string[] = []
    const customLogger = createLogger('warn')
    customLogger.warn = customLogger.warnOnce = (text) => {
      // On a busy machine Vite reports which of its own plugins took long.
      if (!text.includes('[PLUGIN_TIMINGS]')) warnings.push(text)
    }
    const settings = { outDir: 'mapped/vite', sourcemap: true }
    await build({ root: tools, configFile: false, customLogger, build: settings })
    // What the library loads on demand may also be imported.
    write(
      tools,
      'folds.js',
      `import { complete } from 'lacuna'
      import { completeByFolds } from 'lacuna/folds'
      globalThis.solve = [complete, completeByFolds]`,
    )
    const rolldownOptions = { input: `${tools}/folds.js` }
    await build({ root: tools, configFile: false, customLogger, build: { ...settings, rolldownOptions } })
    expect(warnings).toEqual([])
  })

  it('a webpack 5 bundle of the library solves a problem in a browser', async () => {
    const program = `import webpack from 'webpack'
      webpack({ mode: 'production', entry: './main.js' }, (error, stats) => {
        if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString())
      })`
    await node(tools, '--input-type=module', '--eval', program)
    write(tools, 'dist/index.html', PAGE('/main.js'))
    await isSolvedIn('dist')
  })

  it('a Vite 8 bundle of the library solves a problem, also under a policy without blob workers', async () => {
    await build({ root: tools, configFile: false, logLevel: 'error', build: { outDir: 'vite' } })
    await isSolvedIn('vite')
    const policy =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src data:"
    const strict = { ...isolation, 'Content-Security-Policy': policy }
    const seen = await withServer(join(tools, 'vite'), strict, (url) => visit(browser, url))
    expect(seen).toMatchObject({ answer: expected, isolated: true })
    expect(seen.complaints.every((text) => /Content Security Policy/.test(text))).toBe(true)
  })

  it.each([
    ['isolated', isolation, true],
    ['not isolated', {}, false],
  ])(
    "the library solves a problem in a page of Vite's development server that is %s",
    async (_, headers, isolated) => {
      const server = await createServer({
        root: tools,
        configFile: false,
        logLevel: 'silent',
        server: { headers, port: 0 },
      })
      try {
        await server.listen()
        const seen = await visit(browser, server.resolvedUrls!.local[0])
        expect(seen).toEqual({ answer: expected, isolated, complaints: [] })
      } finally {
        await server.close()
      }
    },
  )
})

describe('the types', () => {
  const PROGRAM = `import { type CpModel, complete, Run, type SparseTensor, tensorFromArray, tensorFromRecords } from 'lacuna'
import { decodeNpz, encodeNpz } from 'lacuna/formats'
import { restore } from 'lacuna/image'
import { gpuEngine } from 'lacuna/gpu'
import { mpiEngine } from 'lacuna/mpi'
import { readRows, textTable } from 'lacuna/tables'
const tensor: SparseTensor = tensorFromArray([[1, null], [3, NaN]])
async function* rows() {
  yield { user: 'a', film: 'x', stars: 3 }
}
const films = await tensorFromRecords(rows(), { modes: ['user', 'film'], value: 'stars' })
const { model }: { model: CpModel } = await complete(films, { rank: 2, onEpoch: ({ train }) => train.rmse })
export const y: number = model.predict({ user: 'a', film: 'x' }) + model.predict([0, 0])
export const all = [tensor, Run, restore, readRows, textTable, decodeNpz, gpuEngine, mpiEngine, new Blob([encodeNpz({})])]
`
  /** Writes a program of one file. @returns its folder */
  const prepare = (name: string, program: string, options: object): string => {
    write(tools, `${name}/main.ts`, program)
    const compilerOptions = {
      target: 'es2022',
      strict: true,
      noEmit: true,
      skipDefaultLibCheck: true,
      ...options,
    }
    write(tools, `${name}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    return join(tools, name)
  }
  const node20 = { module: 'nodenext', lib: ['es2022'], types: ['node'] }
  const page = { module: 'es2022', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }

  const readsFiles = `${PROGRAM}import { readTensor } from 'lacuna'\nexport const t = readTensor('x.tns')\n`
  /** The errors of the repository's own TypeScript. */
  const compile = (folder: string): Promise<string> =>
    node(folder, COMPILER, '-p', '.').catch((error: Error) => error.message)

  beforeAll(() =>
    write(tools, 'checkTypes.mjs', readFileSync(new URL('./checkTypes.mjs', import.meta.url), 'utf8')),
  )

  it.each(typescripts)(
    "the library's types satisfy TypeScript %s, with and without Node's types",
    async (version) => {
      // The strictest reading of optional properties; version 7 below has the usual one.
      const exact = { ...node20, exactOptionalPropertyTypes: true }
      const folders = [prepare('exact', readsFiles, exact), prepare('page', PROGRAM, page)]
      expect(await node(tools, 'checkTypes.mjs', version, ...folders)).toBe('')
    },
  )

  it("the library's types satisfy TypeScript 7, with and without Node's types", async () => {
    expect(await compile(prepare('node', readsFiles, node20))).toBe('')
    expect(await compile(prepare('page', PROGRAM, page))).toBe('')
  })

  it("the library's types for browsers offer no functions that read files", async () => {
    const files = `import { readTensor } from 'lacuna'\nexport const t = readTensor('x.tns')\n`
    const conditions = { ...page, customConditions: ['browser'] }
    expect(await compile(prepare('browser', files, conditions))).toMatch(/no exported member 'readTensor'/)
    const named = files.replace("'lacuna'", "'lacuna/browser'")
    expect(await compile(prepare('named', named, page))).toMatch(/no exported member 'readTensor'/)
  })
})

describe('the command line', () => {
  it('the package lacuna-cli is installed by one command and works', async () => {
    const folder = await install(packed.folder, 'cli', packed.cli)
    const lacuna = (...args: string[]) => run(folder, join(folder, 'node_modules/.bin/lacuna'), ...args)
    const { version } = JSON.parse(
      readFileSync(new URL('../../packages/lacuna/package.json', import.meta.url), 'utf8'),
    )
    expect(await lacuna('--version')).toBe(`${version}\n`)
    write(folder, 't.csv', 'user,film,stars\na,x,1\nb,y,2\na,y,3\n')
    await lacuna('convert', 't.csv', 't.parquet', '--modes', 'user', 'upper(film)', '--value', 'stars')
    await lacuna('complete', 't.parquet', '--rank', '1', '--epochs', '3', '-o', 'model.npz')
    expect(await lacuna('predict', 'model.npz', 't.parquet')).toContain('a,X')
    await lacuna('demo', '--width', '64')
    expect(existsSync(join(folder, 'lacuna-demo.png'))).toBe(true)
    expect(existsSync(join(folder, 'node_modules/lacuna-cli/dist/studio/index.html'))).toBe(true)
    await lacuna('paper', '--help')
  })

  it("the package lacuna-cli has the library's version and the same ranges of its dependencies", () => {
    const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
    const [library, cli] = [read('packages/lacuna/package.json'), read('packages/cli/package.json')]
    expect(cli.version).toBe(library.version)
    expect(cli.devDependencies.lacuna).toBe(library.version)
    const shipped = { ...cli.dependencies, ...cli.optionalDependencies, ...cli.peerDependencies }
    expect(shipped).toMatchObject(library.dependencies)
    for (const [name, range] of Object.entries(library.peerDependencies)) {
      expect([name, shipped[name]]).toEqual([name, range])
      expect(library.peerDependenciesMeta[name]).toEqual({ optional: true })
    }
  })
})

async function isSolvedIn(folder: string): Promise<void> {
  const seen = await withServer(join(tools, folder), isolation, (url) => visit(browser, url))
  expect(seen).toEqual({ answer: expected, isolated: true, complaints: [] })
}

const filesOf = (name: string): string[] =>
  readdirSync(join(tools, 'node_modules', name), { recursive: true, encoding: 'utf8' })

const read = (name: string, file: string): string =>
  readFileSync(join(tools, 'node_modules', name, file), 'utf8')
