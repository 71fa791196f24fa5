// Writes the data of the eleven tasks of this folder into the current folder: synthetic, the same each time.
// @ts-check
import { writeFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

/** A number from 0 to 1 that looks random, by a seed. @param {number} n */
function noise(n) {
  let x = Math.imul(n + 1, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
}

/** @param {number} day from 1 January 2024 */
const isoDate = (day) => new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
/** @param {string[]} lines @param {string} name @param {string} head */
const write = (name, head, lines) => writeFileSync(name, `${head}\n${lines.join('\n')}\n`)

// Sales of 8 shops and 12 products on 120 days, as a German spreadsheet exports them: semicolons, days first,
// points between thousands, decimal commas, and a cell that says n/a.
const shops = ['Ulm', 'Bonn', 'Kiel', 'Mainz', 'Trier', 'Jena', 'Halle', 'Essen']
const sales = []
for (let day = 0; day < 120; day++)
  for (let shop = 0; shop < 8; shop++)
    for (let product = 0; product < 12; product++) {
      const n = (day * 8 + shop) * 12 + product
      if (noise(n) < 0.2) continue
      const week = 1 + 0.4 * Math.sin((2 * Math.PI * day) / 7 + product)
      const euros = (200 + 90 * shop) * (1 + 0.3 * product) * week * (1 + 0.1 * (noise(n + 1e6) - 0.5))
      const [whole, cents] = euros.toFixed(2).split('.')
      const text = noise(n + 2e6) < 0.001 ? 'n/a' : `${whole.replace(/(\d)(\d{3})$/, '$1.$2')},${cents}`
      const [year, month, date] = isoDate(day).split('-')
      sales.push(`${date}.${month}.${year};${shops[shop]};P-${String(product + 1).padStart(3, '0')};${text}`)
    }
write('sales.csv', 'Datum;Filiale;Artikel;Umsatz', sales)

// Answers of 60 people to 15 questions on four scales, from three attitudes.
const survey = []
for (let person = 0; person < 60; person++)
  for (let question = 0; question < 15; question++)
    for (let scale = 0; scale < 4; scale++) {
      const n = (person * 15 + question) * 4 + scale
      if (noise(n + 3e6) < 0.3) continue
      let score = 0
      for (let r = 0; r < 3; r++)
        score +=
          2 * noise(person * 3 + r) * (question % 3 === r ? 2 : 0.4) * (0.3 + noise(7000 + scale * 3 + r))
      survey.push(
        `p${person + 1},q${question + 1},${'abcd'[scale]},${(score + 0.2 * noise(n + 4e6)).toFixed(2)}`,
      )
    }
write('survey.csv', 'person,question,scale,score', survey)

// Temperatures of 12 sensors every hour of ten days; rows are missing, some for half a day.
const sensors = []
for (let hour = 0; hour < 240; hour++)
  for (let sensor = 0; sensor < 12; sensor++) {
    const n = hour * 12 + sensor
    if (noise(n + 5e6) < 0.25 || (sensor === 4 && hour > 100 && hour < 112)) continue
    const day = Math.sin((2 * Math.PI * (hour % 24)) / 24)
    const degrees = (10 + sensor) * (1 + 0.2 * day) * (1 + 0.05 * Math.sin(hour / 40)) + 0.3 * noise(n + 6e6)
    const time = new Date(Date.UTC(2024, 2, 25, hour)).toISOString().slice(0, 19).replace('T', ' ')
    sensors.push(`S${sensor + 1},${time},${degrees.toFixed(2)}`)
  }
write('sensors.csv', 'sensor,time,celsius', sensors)

// A wide table: a column for each shop, cells that are empty.
const wide = []
for (let day = 0; day < 40; day++) {
  const cells = shops.map((_, shop) => {
    const n = day * 8 + shop
    return noise(n + 7e6) < 0.15
      ? ''
      : ((shop + 2) * (10 + (day % 7)) * (1 + 0.05 * noise(n + 8e6))).toFixed(1)
  })
  wide.push(`${isoDate(day)},${cells.join(',')}`)
}
write('wide.csv', `day,${shops.join(',')}`, wide)

// Ratings of 80 users and 50 films, the films' titles, five ratings of a new user, and a new shop's three sales.
const ratings = []
for (let user = 0; user < 80; user++)
  for (let film = 0; film < 50; film++) {
    const n = user * 50 + film
    if (noise(n + 9e6) < 0.6) continue
    const taste = user % 3 === film % 3 ? 4.2 : 2.4
    ratings.push(
      `${user + 1},${film + 1},${Math.max(0.5, Math.min(5, taste + noise(n + 1e7) - 0.5)).toFixed(1)}`,
    )
  }
write('ratings.csv', 'userId,filmId,rating', ratings)
write(
  'films.csv',
  'filmId,title',
  Array.from({ length: 50 }, (_, film) => `${film + 1},"Film no. ${film + 1}"`),
)
write('me.csv', 'userId,filmId,rating', ['me,1,5', 'me,4,4.5', 'me,2,1', 'me,7,5', 'me,3,2'])
write('newshop.csv', 'Datum;Filiale;Artikel;Umsatz', [
  '28.04.2024;Fulda;P-001;1.020,50',
  '28.04.2024;Fulda;P-005;2.190,00',
  '29.04.2024;Fulda;P-009;3.544,90',
])

// A picture of 48 × 48 pixels, and which of them are scratched.
const size = 48
const picture = Buffer.alloc(3 * size * size)
const scratches = Buffer.alloc(3 * size * size)
for (let y = 0; y < size; y++)
  for (let x = 0; x < size; x++) {
    const stripe = (Math.floor(x / 6) + Math.floor(y / 6)) % 2
    const colour = [60 + 3 * x, 80 + 2 * y, stripe ? 200 : 90]
    const isScratched = Math.abs(x - y) < 2 || Math.abs(x + 2 * y - 60) < 2
    for (let c = 0; c < 3; c++) {
      picture[3 * (y * size + x) + c] = isScratched ? 255 : colour[c]
      scratches[3 * (y * size + x) + c] = isScratched ? 255 : 0
    }
  }
writePng('photo.png', picture)
writePng('scratches.png', scratches)

/** Writes a square picture of red, green and blue bytes as PNG. @param {string} name @param {Buffer} pixels */
function writePng(name, pixels) {
  const rows = Buffer.alloc(size * (3 * size + 1)) // a byte 0, no filter, before each row
  for (let y = 0; y < size; y++) pixels.copy(rows, y * (3 * size + 1) + 1, 3 * size * y, 3 * size * (y + 1))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunks = [
    ['IHDR', header],
    ['IDAT', deflateSync(rows)],
    ['IEND', Buffer.alloc(0)],
  ].map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(String(type)), Buffer.from(data)])
    const chunk = Buffer.alloc(body.length + 8)
    chunk.writeUInt32BE(body.length - 4, 0)
    body.copy(chunk, 4)
    chunk.writeUInt32BE(crc32(body), body.length + 4)
    return chunk
  })
  writeFileSync(name, Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]))
}

/** The checksum of a chunk. @param {Buffer} bytes */
function crc32(bytes) {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
