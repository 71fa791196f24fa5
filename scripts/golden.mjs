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
import { digestOfFile } from '../test/golden/releaseFiles.mjs'

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
await writeCheckpoints()
for (const name of readdirSync(cwd))
  if (!existsSync(join(folder, name))) copyFileSync(join(cwd, name), join(folder, name))
rmSync(cwd, { recursive: true })

/** @type {Record<string, string>} */
const manifest = {}
for (const name of readdirSync(folder).sort())
  if (name !== 'manifest.json') manifest[name] = await digestOfFile(join(folder, name))
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
console.log(`${Object.keys(manifest).length} files in ${folder.slice(root.length)}`)

/** Writes a run after its second epoch, and a search by folds that has been interrupted after its first model. */
async function writeCheckpoints() {
  const tensor = await readTensor(join(cwd, 'data.tns'))
  const run = await startRun(tensor, { rank: 2, seed: 3, epochs: 6, threads: 1 })
  while (run.epochs < 2) await run.advance()
  await run.save(join(cwd, 'run.run'))
  await run.close()
  const controller = new AbortController()
  await completeByFolds(
    tensor,
    { rank: 2, seed: 5, epochs: 5, threads: 1, signal: controller.signal },
    {
      folds: 3,
      onModel: () => controller.abort(),
      checkpointing: {
        every: Infinity,
        save: async (state) => writeFileSync(join(cwd, 'search.run'), Buffer.concat(encodeSearch(state))),
      },
    },
  )
}
