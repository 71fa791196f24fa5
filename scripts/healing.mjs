// Makes the pictures of the studio's first screen, packages/studio/src/home/healing.webp: frames of a real restoration of
// the drawn façade, one below the other. The page hides the pixels of the last frame itself.
// @ts-check
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const library = new URL('../packages/lacuna/dist/', import.meta.url)
const { drawFacade } = await import(new URL('internal.js', library).href)
const { complete } = await import(new URL('index.js', library).href)
const { hideAtRandom, quality, restore } = await import(new URL('image.js', library).href)

const [WIDTH, HEIGHT] = [480, 320]
const HIDDEN = 0.8
/** Epochs after which a frame is taken. */
const EPOCHS = [1, 2, 3, 6]

const original = drawFacade(WIDTH, HEIGHT)
const known = hideAtRandom(original, { share: HIDDEN, seed: 1 })
/** @type {{ data: Uint8Array }[]} */
const frames = []
const { picture } = await restore(original, known, {
  async solve(
    /** @type {any} */ tensor,
    /** @type {any} */ options,
    /** @type {(model: any, when: string) => any} */ show,
  ) {
    for (const epochs of EPOCHS)
      frames.push(show((await complete(tensor, { ...options, epochs })).model, 'on the way'))
    return complete(tensor, options)
  },
})
frames.push(picture, original)
for (const frame of frames) console.error(`${quality(original, frame, known).psnr.toFixed(1)} dB`)
const raw = Buffer.concat(frames.map(({ data }) => Buffer.from(data)))
const { size } = await sharp(raw, { raw: { width: WIDTH, height: HEIGHT * frames.length, channels: 3 } })
  .webp({ quality: 62, effort: 6 })
  .toFile('packages/studio/src/home/healing.webp')
console.error(`${frames.length} frames, ${size} bytes`)
