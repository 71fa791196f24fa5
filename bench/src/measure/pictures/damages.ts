/** Damage of pictures: pixels hidden at random, scratches and text. */
import { hideAtRandom, type Known, type Picture } from 'lacuna/image'
import { draw, stream, unit } from 'lacuna/internal'
import sharp from 'sharp'

/** Size and depth of a picture. */
type Shape = Omit<Picture, 'data'>

/** First word of the streams of scratches. */
const SCRATCHES = 0x6d05

/** Damages by name; each returns which values stay known. */
export const damages: Record<string, (picture: Shape, seed: number) => Promise<Known>> = {
  ...Object.fromEntries(
    [70, 80, 90, 95].map((percent) => [
      `${percent}%`,
      async (picture: Shape, seed: number) => hideAtRandom(picture, { share: percent / 100, seed }),
    ]),
  ),
  scratches: (picture, seed) => hideDrawing(picture, scratches(picture, seed)),
  text: (picture) => hideDrawing(picture, text(picture)),
}

/** Hides the pixels that a drawing covers by more than half. @param drawing elements of SVG */
async function hideDrawing({ width, height, channels }: Shape, drawing: string): Promise<Known> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`
  const pixels = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer()
  return Uint8Array.from({ length: width * height * channels }, (_, at) =>
    pixels[4 * Math.floor(at / channels) + 3] > 127 ? 0 : 1,
  )
}

/** Draws 26 crooked lines, as on an old print; most of them are steep, and few are wide. */
function scratches({ width, height }: Shape, seed: number): string {
  const lines = Array.from({ length: 26 }, (_, line) => {
    const key = stream(seed, SCRATCHES, line)
    let counter = 0
    const random = (): number => unit(draw(key, counter++))
    let [x, y] = [random() * width, random() * height]
    const heading = (random() - 0.5) * 1.2 + (random() < 0.7 ? Math.PI / 2 : 0)
    const step = ((0.15 + 0.6 * random()) * height) / 12
    const thickness = Math.max(1.2, (height / 420) * (1 + 3 * random() ** 2))
    const points = Array.from({ length: 13 }, () => {
      const point = `${x.toFixed(2)},${y.toFixed(2)}`
      const angle = heading + (random() - 0.5) * 0.5
      x += Math.cos(angle) * step
      y += Math.sin(angle) * step
      return point
    })
    return `<polyline points="${points.join(' ')}" stroke-width="${thickness.toFixed(2)}"/>`
  })
  return `<g fill="none" stroke="black" stroke-linecap="round" stroke-linejoin="round">${lines.join('')}</g>`
}

/** Writes slanted lines of text over the picture. */
function text({ width, height }: Shape): string {
  const size = Math.max(9, Math.round(height / 22))
  const words = 'lacuna  ·  '.repeat(Math.ceil((0.4 * width) / size) + 2)
  const lines = Array.from({ length: Math.ceil((1.15 * height) / (2.1 * size)) }, (_, row) => {
    const x = -((row * 3.7 * size) % (6 * size))
    return `<text x="${x}" y="${size * (1 + 2.1 * row)}">${words}</text>`
  })
  const slant = `translate(0 ${0.06 * height}) rotate(${(-0.06 * 180) / Math.PI})`
  return `<g transform="${slant}" font-family="Georgia, serif" font-weight="600" font-size="${size}">${lines.join('')}</g>`
}
