// Makes files/lz4.arrow: flechette encodes the table, and Debian's lz4 command packs its buffers, since Debian has no pyarrow.
// Run in the repository: node test/lacuna/io/science/make.mjs
// @ts-check
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  CompressionType,
  columnFromArray,
  dateDay,
  decimal,
  dictionary,
  float32,
  float64,
  int64,
  setCompressionCodec,
  tableFromColumns,
  tableToIPC,
  timestamp,
  utf8,
} from '@uwdata/flechette'

/** Packs by the lz4 command. @param {string[]} options */
const lz4 = (...options) => ({
  encode: (/** @type {Uint8Array} */ bytes) =>
    new Uint8Array(execFileSync('lz4', [...options, '-c'], { input: bytes })),
  decode() {
    throw new Error('not needed')
  },
})
const rows = Array.from({ length: 600 }, (_, row) => row)
const day = Date.UTC(2024, 1, 28)
const table = tableFromColumns([
  [
    'site',
    columnFromArray(
      rows.map((row) => `site ${row % 5}`),
      dictionary(utf8()),
    ),
  ],
  [
    'code',
    columnFromArray(
      rows.map((row) => `00${row % 4}`),
      utf8(),
    ),
  ],
  [
    'day',
    columnFromArray(
      rows.map((row) => day + 86_400_000 * Math.floor(row / 20)),
      dateDay(),
    ),
  ],
  [
    'at',
    columnFromArray(
      rows.map((row) => (row % 7 === 0 ? null : day + 1500 * row)),
      timestamp(2, 'UTC'),
    ),
  ],
  [
    'id',
    columnFromArray(
      rows.map((row) => 9_007_199_254_740_993n + BigInt(row)),
      int64(),
    ),
  ],
  [
    'price',
    columnFromArray(
      rows.map((row) => row / 4),
      decimal(12, 2),
    ),
  ],
  [
    'level',
    columnFromArray(
      rows.map((row) => (row === 3 ? NaN : row / 3)),
      float32(),
    ),
  ],
  [
    'double',
    columnFromArray(
      rows.map((row) => row / 3),
      float64(),
    ),
  ],
])
setCompressionCodec(CompressionType.LZ4_FRAME, lz4('-9', '--content-size'))
const bytes = tableToIPC(table, { format: 'file', codec: CompressionType.LZ4_FRAME })
writeFileSync(fileURLToPath(new URL('files/lz4.arrow', import.meta.url)), bytes ?? '')
