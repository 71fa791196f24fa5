// Writes the files of a release that all later releases must open (test/golden/releases/VERSION), with a manifest:
//   npm run build && node scripts/golden.mjs 0.1
// Files that are there already stay as they are; a test opens those of every release.
// @ts-check
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { completeByFolds, encodeSearch } from '#lacuna/folds.js'
import { readTensor, startRun } from '#lacuna/index.js'
import { bundleSources } from '../test/fuzz/bundle.mjs'
import { contentOfFile, resultOf, searchOptions, settings } from '../test/golden/releaseFiles.mjs'
import { waitForVerdict, withStudio } from './pictures/studioPage.mjs'

const version = process.argv[2]
if (!/^\d+\.\d+$/.test(version ?? '')) {
  console.error('Name the release: node scripts/golden.mjs 1.0')
  process.exit(2)
}
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'test/golden/releases', version)
mkdirSync(folder, { recursive: true })
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-golden-'))

const rows = []
for (let user = 0; user < 12; user++)
  for (let film = 0; film < 9; film++)
    for (let day = 0; day < 6; day++)
      if ((user * 7 + film * 5 + day * 3) % 4 < 2)
        rows.push(
          `u${user},"f, ${film}",2024-01-0${1 + day},${1 + ((user % 3) + 1) * ((film % 4) + 1) * (1 + day / 10)},${1 + (film % 2)}`,
        )
writeFileSync(join(cwd, 'data.csv'), `user,film,day,stars,weight\n${rows.join('\n')}\n`)
const columns = '--modes user film day --value stars'
for (const command of [
  `convert data.csv data.tns ${columns}`,
  `convert data.csv data.npz ${columns}`,
  `convert data.csv data-weights.npz ${columns} --weight weight`,
  `convert data.csv data.npy ${columns}`,
  `convert data.csv data.json ${columns}`,
  `convert data.csv data.parquet ${columns}`,
  `convert data.csv data.arrow ${columns}`,
  `convert data.csv data.h5 ${columns}`,
  `convert data.csv data.nc ${columns}`,
  `complete data.csv ${columns} --rank 2 --epochs 5 -o model.npz`,
  `complete data.csv ${columns} --rank 2 --epochs 5 --link sqrt -o link.npz`,
  `complete data.csv ${columns} --rank 2 --epochs 5 --lags day=1 --no-choose -o lags.npz`,
  `complete data.csv ${columns} --rank 2 --epochs 5 --merge-modes user,film -o reshaped.npz`,
  `complete data.csv ${columns} --rank 2 --epochs 5 --folds 3 -o ensemble.npz`,
  `complete data.csv ${columns} --epochs 5 --best --folds 3 -o best.npz`,
  'convert model.npz model-int8.npz --compact int8',
  'convert model.npz model-float16.npz --compact float16',
])
  execFileSync(process.execPath, [join(root, 'packages/cli/dist/lacuna.js'), ...command.split(' ')], {
    cwd,
    stdio: 'ignore',
  })
// Lacuna writes no workbooks; this one has the rows of a small table.
copyFileSync(join(root, 'test/lacuna/io/science/files/book.xlsx'), join(cwd, 'data.xlsx'))
await writeCheckpoints()
await writeSession()
for (const name of readdirSync(cwd))
  if (!existsSync(join(folder, name))) copyFileSync(join(cwd, name), join(folder, name))
rmSync(cwd, { recursive: true })

const { sessionFile, packFiles, hashStream } = await bundleSources()
const packing = {
  ...packFiles,
  hashFile: (/** @type {File} */ file) => hashStream.hashStream(file.stream()),
}
const tensor = await readTensor(join(folder, 'data.tns'))
/** @type {Record<string, unknown>} */
const files = {}
/** @type {Record<string, string>} */
const continued = {}
for (const name of readdirSync(folder).sort()) {
  if (name === 'manifest.json') continue
  files[name] = await contentOfFile(join(folder, name), (file) => sessionFile.decodeSession(file, packing))
  if (name in settings) continued[name] = await resultOf(/** @type {keyof typeof settings} */ (name), tensor)
}
const lines = Object.entries(files).map(([name, content]) => `"${name}": ${JSON.stringify(content)}`)
writeFileSync(
  join(folder, 'manifest.json'),
  `{"files": {\n${lines.join(',\n')}\n},\n"continued": ${JSON.stringify(continued, null, 2)}}\n`,
)
console.log(`${Object.keys(files).length} files in ${folder.slice(root.length)}`)

/** Writes the session of a run in the studio. */
async function writeSession() {
  await withStudio(async (open) => {
    const page = await open('#complete?rank=2', { acceptDownloads: true })
    await page.getByLabel('Open a file …').first().setInputFiles(join(cwd, 'data.csv'))
    await page.getByRole('button', { name: 'Quick', exact: true }).click()
    await waitForVerdict(page)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the session' }).click(),
    ])
    await saved.saveAs(join(cwd, 'session.lacuna'))
  })
}

/** Writes a run after its second epoch, and searches that were interrupted after the first model, one of them of its second trial. */
async function writeCheckpoints() {
  const tensor = await readTensor(join(cwd, 'data.tns'))
  const run = await startRun(tensor, settings['run.run'])
  while (run.epochs < 2) await run.advance()
  await run.save(join(cwd, 'run.run'))
  await run.close()
  for (const [name, trials] of /** @type {const} */ ([
    ['search.run', 0],
    ['best.run', 1],
  ])) {
    const controller = new AbortController()
    let ended = 0
    await completeByFolds(
      tensor,
      { ...settings[name], signal: controller.signal },
      {
        ...searchOptions(name),
        onTrial: () => void ended++,
        onModel: () => ended >= trials && controller.abort(),
        checkpointing: {
          every: Infinity,
          save: async (state) => writeFileSync(join(cwd, name), Buffer.concat(encodeSearch(state))),
        },
      },
    )
  }
}
