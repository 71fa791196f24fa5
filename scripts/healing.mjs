// Makes the pictures of the studio's first screen, in packages/studio/src/home: healing.webp, frames of a real restoration
// of a photograph, one below the other (the page hides the pixels of the last frame itself), and poster.webp, its end.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const library = new URL('../packages/lacuna/dist/', import.meta.url)
const { hideAtRandom, quality, restore } = await import(new URL('image.js', library).href)

const [WIDTH, HEIGHT] = [480, 320]
const HIDDEN = 0.8
/** How many frames are shown on the way. */
const DRAFTS = 2

/** The width of the poster. */
const POSTER_WIDTH = 96

const photo = await sharp('packages/studio/src/examples/data/facade.webp')
  .resize(WIDTH, HEIGHT, { fit: 'cover' })
  .raw()
  .toBuffer()
const original = { width: WIDTH, height: HEIGHT, channels: 3, maximum: 255, data: new Uint8Array(photo) }
const known = hideAtRandom(original, { share: HIDDEN, seed: 1 })
/** The drafts of the run, each better than the one before by held-out pixels. */
const drafts = /** @type {any[]} */ ([])
const { picture } = await restore(original, known, {
  onDraft: (/** @type {{ picture(): any }} */ draft) => void drafts.push(draft.picture()),
})
const psnr = (/** @type {any} */ frame) => quality(original, frame, known).psnr
const [first, last] = [psnr(drafts[0]), psnr(picture)]
// The drafts that are nearest to equal steps of quality.
const frames = Array.from({ length: DRAFTS }, (_, i) => {
  const wanted = first + (i / DRAFTS) * (last - first)
  return drafts.reduce((best, draft) =>
    Math.abs(psnr(draft) - wanted) < Math.abs(psnr(best) - wanted) ? draft : best,
  )
})
frames.push(picture, original)
for (const frame of frames) console.error(`${psnr(frame).toFixed(1)} dB`)
const raw = Buffer.concat(frames.map(({ data }) => Buffer.from(data)))
const { size } = await sharp(raw, { raw: { width: WIDTH, height: HEIGHT * frames.length, channels: 3 } })
  .webp({ quality: 72, effort: 6 })
  .toFile('packages/studio/src/home/healing.webp')
console.error(`${frames.length} frames, ${size} bytes`)
const poster = await sharp(Buffer.from(picture.data), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  .resize(POSTER_WIDTH)
  .webp({ quality: 50, effort: 6 })
  .toFile('packages/studio/src/home/poster.webp')
console.error(`poster: ${poster.size} bytes`)
