// The small inputs of all cases: entries, tables, models and a picture, made once in a folder.
// @ts-check
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { launch } from './launch.mjs'
import { randomOf } from './random.mjs'

/** Fills a folder with the inputs. @param {string} folder */
export async function prepareInputs(folder) {
  const put = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) =>
    writeFileSync(join(folder, name), content)
  const random = randomOf('inputs')
  /** @type {number[][]} */
  const cells = []
  for (let i = 1; i <= 12; i++)
    for (let j = 1; j <= 10; j++)
      for (let k = 1; k <= 6; k++)
        if (random.unit() < 0.6) cells.push([i, j, k, Math.round(100 * (i * j + k * random.unit())) / 100])
  const header = 'user,item,week,rating'
  const asRow = (/** @type {number[]} */ [i, j, k, x]) => `u${i},film ${j},${k},${x}`
  put('data.tns', `${cells.map((cell) => cell.join(' ')).join('\n')}\n`)
  put('data.csv', `${[header, ...cells.map(asRow)].join('\n')}\n`)
  put('test.csv', `${[header, ...cells.filter((_, c) => c % 9 === 0).map(asRow)].join('\n')}\n`)
  put('more.csv', `${header}\nu1,film 2,1,3\nu99,film 1,2,7\nu99,film 4,3,9\nu99,film 5,3,2\n`)
  put('asked.csv', `user,item,week\n${cells.map(([i, j]) => `u${i},film ${j},1`).join('\n')}\n`)
  put('asked.tns', '1 1 1\n2 3 4\n5 5 5\n')
  const gaps = cells.map((cell, c) => (c % 5 === 0 ? asRow(cell).replace(/[^,]*$/, '') : asRow(cell)))
  put('gaps.csv', `${[header, ...gaps].join('\n')}\n`)
  put(
    'photo.png',
    greyPng(24, 20, (x, y) => (8 * x + 5 * y + 40 * random.unit()) & 255),
  )
  for (const args of [
    ['complete', 'data.csv', ...TABLE, '--rank', '3', '--epochs', '10', '-o', 'model.npz'],
    ['complete', 'data.csv', ...TABLE, '--rank', '2', '--epochs', '5', '--folds', '2', '-o', 'folds.npz'],
    ['complete', 'data.tns', '--rank', '3', '--epochs', '10', '-o', 'plain.npz'],
    ['convert', 'data.csv', 'data.parquet', ...TABLE],
  ]) {
    const { code, stderr } = await launch(folder, [...args, '-q'])
    if (code !== 0) throw new Error(`lacuna ${args.join(' ')} ends with ${code}: ${stderr}`)
  }
}

/** Options by which the tables are read. */
export const TABLE = ['--modes', 'user', 'item', 'week', '--value', 'rating']

/** A grey picture as a PNG file. @param {number} width @param {number} height @param {(x: number, y: number) => number} grey */
function greyPng(width, height, grey) {
  const rows = Array.from({ length: height }, (_, y) =>
    Uint8Array.from({ length: width + 1 }, (_, x) => (x === 0 ? 0 : grey(x - 1, y))),
  )
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const chunk = (/** @type {string} */ name, /** @type {Uint8Array} */ data) => {
    const body = Buffer.concat([Buffer.from(name), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const content = deflateSync(Buffer.concat(rows))
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', content),
    chunk('IEND', new Uint8Array(0)),
  ])
}
