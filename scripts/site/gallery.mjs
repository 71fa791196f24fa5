// Draws the pictures of the site's gallery from real data, with the commands that the page shows:
//   node scripts/site/gallery.mjs DATA
// DATA is a folder with what `lacuna data fetch` has put there: movielens/ (movielens-latest-small), hangzhou/ (hangzhou-metro,
// drawn by bench/accuracy/metro.py) and kinetic/kinetic.npy (kinetic). The photograph is in the repository. Prints the figures
// of the page.
// @ts-check
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { readModel, readTensor } from '#lacuna/index.js'

const data = resolve(process.argv[2] ?? '')
const out = fileURLToPath(new URL('../../site/gallery/', import.meta.url))
const main = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-gallery-'))
const lacuna = (/** @type {string} */ args) => {
  console.log(`\nlacuna ${args}`)
  process.stdout.write(
    execFileSync(process.execPath, [main, ...args.split(' ')], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
}

const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9']
const WIDTH = 720
const HEIGHT = 300

/**
 * A chart as SVG. @param {string} title @param {string} label of the horizontal axis
 * @param {{ values: (number | undefined)[], name: string, colour: string, dots?: boolean }[]} series
 */
function chart(title, label, series) {
  const length = Math.max(...series.map(({ values }) => values.length))
  const largest = Math.max(...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const x = (/** @type {number} */ i) => 50 + (i * (WIDTH - 70)) / Math.max(1, length - 1)
  const y = (/** @type {number} */ value) => HEIGHT - 40 - (value * (HEIGHT - 105)) / largest
  const lines = series.map(({ values, colour, dots }) => {
    const known = values.flatMap((value, i) =>
      value === undefined ? [] : [[x(i).toFixed(1), y(value).toFixed(1)]],
    )
    if (dots)
      return known
        .map(
          ([cx, cy]) =>
            `<circle cx="${cx}" cy="${cy}" r="3.5" fill="none" stroke="${colour}" stroke-width="1.6"/>`,
        )
        .join('')
    return `<polyline points="${known.map((point) => point.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`
  })
  const names = series.map(
    ({ name, colour }, n) =>
      `<text x="${50 + n * 175}" y="44" fill="${colour}">${dotOrLine(series[n].dots)} ${name}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, Arial, sans-serif" font-size="13" fill="#333"><rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#fff"/><text x="50" y="22" font-weight="600" font-size="15">${title}</text>${names.join('')}<line x1="50" x2="${WIDTH - 20}" y1="${y(0)}" y2="${y(0)}" stroke="#999"/><text x="44" y="${y(largest) + 4}" text-anchor="end">${Number(largest.toPrecision(3))}</text><text x="44" y="${y(0) + 4}" text-anchor="end">0</text><text x="${WIDTH - 20}" y="${HEIGHT - 14}" text-anchor="end">${label}</text>${lines.join('')}</svg>\n`
}
const dotOrLine = (/** @type {boolean | undefined} */ dots) => (dots ? '○' : '—')

// Films: predicted ratings of one user, beside the mean of each film.
lacuna(`complete ${data}/movielens/ratings.csv --modes userId movieId --value rating --test 0.1 -o films.npz`)
const films = execFileSync(
  process.execPath,
  [
    main,
    ...`top films.npz --for userId=42 --of movieId --exclude ${data}/movielens/ratings.csv --min-entries 20 --names movieId=${data}/movielens/movies.csv:title --json`.split(
      ' ',
    ),
  ],
  { cwd, encoding: 'utf8' },
)
const { top: rows } = JSON.parse(films)
/** Characters of a title that fit beside the bars. */
const LONGEST_TITLE = 46
const shorten = (/** @type {string} */ title) =>
  title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…` : title
const bars = rows.slice(0, 8).map((/** @type {any} */ row, /** @type {number} */ n) => {
  const at = 60 + n * 29
  const width = (/** @type {number} */ stars) => (stars / 5) * 300
  const title = shorten(String(row.name ?? row.title ?? row.label)).replaceAll('&', '&amp;')
  return `<text x="330" y="${at + 13}" text-anchor="end">${title}</text><rect x="340" y="${at}" width="${width(row.predicted)}" height="18" fill="${COLOURS[1]}"/><line x1="${340 + width(row.mean)}" x2="${340 + width(row.mean)}" y1="${at - 3}" y2="${at + 21}" stroke="#111" stroke-width="2"/><text x="${346 + width(row.predicted)}" y="${at + 13}">${row.predicted.toFixed(2)}</text>`
})
writeFileSync(
  join(out, 'films.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, Arial, sans-serif" font-size="13" fill="#333"><rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#fff"/><text x="50" y="22" font-weight="600" font-size="15">Films for user 42: predicted stars (bar), mean of all ratings (line)</text>${bars.join('')}</svg>\n`,
)

// Metro: a station on one day; most slots are hidden.
lacuna(
  `complete ${data}/hangzhou/RM70.train.tns.gz --dims 80x108x25 --test ${data}/hangzhou/RM70.test.tns.gz --rank 24 -o metro.npz`,
)
const metro = await readModel(join(cwd, 'metro.npz'))
const [train, test] = await Promise.all(
  ['train', 'test'].map((part) =>
    readTensor(`${data}/hangzhou/RM70.${part}.tns.gz`, { dims: [80, 108, 25] }),
  ),
)
const [station, day] = [9, 17]
const slots = (/** @type {import('#lacuna/index.js').SparseTensor} */ { indices, values }) => {
  /** @type {(number | undefined)[]} */
  const found = Array(108).fill(undefined)
  values.forEach((value, e) => {
    if (indices[0][e] === station && indices[2][e] === day) found[indices[1][e]] = value
  })
  return found
}
writeFileSync(
  join(out, 'metro.svg'),
  chart(
    'Passengers at one station on one day; 70% of all counts are hidden',
    'slots of ten minutes, 6 h to 24 h',
    [
      {
        name: 'predicted',
        colour: COLOURS[0],
        values: Array.from({ length: 108 }, (_, slot) => metro.predict([station, slot, day])),
      },
      { name: 'given', colour: '#333', dots: true, values: slots(train) },
      { name: 'hidden, measured', colour: COLOURS[1], dots: true, values: slots(test) },
    ],
  ),
)

// Kinetics: the time courses of the components.
lacuna(`complete ${data}/kinetic/kinetic.npy --rank 4 --test 0.1 -o kinetic.npz`)
const kinetic = /** @type {import('#lacuna/index.js').CpModel} */ (await readModel(join(cwd, 'kinetic.npz')))
const { factors, rank, dims } = kinetic
const courses = Array.from({ length: rank }, (_, r) => {
  const column = Array.from({ length: dims[3] }, (_, t) => factors[3][t * rank + r])
  const most = Math.max(...column)
  return { name: `component ${r + 1}`, colour: COLOURS[r], values: column.map((value) => value / most) }
})
writeFileSync(
  join(out, 'kinetics.svg'),
  chart('Time courses of four components of fluorescence, each to its own maximum', 'time', courses),
)

// A photograph of the repository, 90% of its pixels hidden.
const photograph = fileURLToPath(
  new URL('../../packages/studio/src/examples/data/facade.webp', import.meta.url),
)
lacuna(`image ${photograph} -o restored.png --compare photo-compared.png`)
await sharp(join(cwd, 'photo-compared.png')).webp({ quality: 82 }).toFile(join(out, 'photo.webp'))
rmSync(cwd, { recursive: true })
