/** A drawn landscape in the tones of an old print: hills, a house, fences, trees, a lake and grain. */
import { peak, random } from './random.ts'

/** RGBA values, row by row. */
export interface DrawnPicture {
  width: number
  height: number
  data: Uint8ClampedArray<ArrayBuffer>
}

/** Draws the picture; it is the same every time. */
export function drawPrint(width = 600, height = 400): DrawnPicture {
  const { normal, unit } = random(77)
  const light = new Float32Array(width * height)
  const trees = Array.from({ length: 26 }, () => ({ x: unit(), size: 0.5 + unit(), row: unit() }))
  for (let py = 0; py < height; py++)
    for (let px = 0; px < width; px++) {
      const [x, y] = [px / width, py / height]
      light[py * width + px] = landscape(x, y)
    }
  for (const { x, size, row } of trees.sort((a, b) => a.row - b.row))
    drawTree(light, width, height, x, 0.56 + 0.16 * row, 0.05 + 0.05 * size * (0.5 + row))
  drawHouse(light, width, height)
  const data = new Uint8ClampedArray(4 * width * height)
  for (let p = 0; p < light.length; p++) {
    const [x, y] = [(p % width) / width, Math.floor(p / width) / height]
    const corner = 1 - 0.35 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)
    const tone = Math.min(1, Math.max(0, light[p] * corner + 0.012 * normal()))
    // Sepia: from dark brown to the white of old paper.
    data.set([38 + 205 * tone, 26 + 199 * tone, 16 + 176 * tone, 255], 4 * p)
  }
  return { width, height, data }
}

/** The lightness of sky, hills, lake and meadow. */
function landscape(x: number, y: number): number {
  const far = 0.42 - 0.1 * peak(x, 0.25, 0.12) - 0.14 * peak(x, 0.62, 0.16) - 0.02 * Math.sin(40 * x)
  const near = 0.5 - 0.06 * peak(x, 0.85, 0.15) - 0.05 * peak(x, 0.1, 0.12)
  if (y < Math.min(far, near)) {
    const cloud = Math.sin(9 * x + 4 * y) * Math.sin(23 * y + 3 * x) + 0.5 * Math.sin(31 * x - 17 * y)
    return 0.96 - 0.45 * y + 0.05 * cloud
  }
  if (y < near) return 0.5 + 0.2 * (y - far) + 0.03 * Math.sin(130 * x + 90 * y)
  const shore = 0.74 + 0.03 * Math.sin(7 * x)
  if (y < shore) return 0.46 - 0.25 * (y - near) + 0.05 * Math.sin(60 * x + 200 * y) * Math.sin(75 * x)
  // The lake: streaks of light.
  return 0.66 + 0.12 * Math.sin(180 * y + 3 * Math.sin(20 * x)) * (1.1 - y) + 0.1 * peak(x, 0.55, 0.15)
}

/** Darkens a fir tree. @param x @param foot its position, as fractions @param size its height as a fraction */
function drawTree(
  light: Float32Array,
  width: number,
  height: number,
  x: number,
  foot: number,
  size: number,
): void {
  for (let step = 0; step < size * height; step++) {
    const up = step / (size * height)
    const spread = 0.3 * size * (1 - up) * (0.75 + 0.25 * Math.abs(Math.sin(18 * up))) * height
    const row = Math.round(foot * height - step)
    for (let dx = -spread; dx <= spread; dx++) {
      const column = Math.round(x * width + dx)
      if (row < 0 || row >= height || column < 0 || column >= width) continue
      light[row * width + column] = 0.16 + 0.12 * (dx / spread + 1) * (0.5 + 0.5 * Math.sin(35 * up))
    }
  }
}

/** Draws a house with a roof of tiles, windows and a fence. */
function drawHouse(light: Float32Array, width: number, height: number): void {
  const [left, right, top, eaves, bottom] = [0.58, 0.82, 0.42, 0.54, 0.72]
  for (let py = Math.round(top * height); py < bottom * height; py++)
    for (let px = Math.round((left - 0.06) * width); px < (right + 0.14) * width && px < width; px++) {
      const [x, y] = [px / width, py / height]
      const p = py * width + px
      const inset = (eaves - y) * 0.7
      if (y < eaves && x > left - 0.02 + inset && x < right + 0.02 - inset)
        light[p] = 0.3 + 0.06 * Math.sin(2 * Math.PI * 70 * y) + 0.05 * Math.sin(2 * Math.PI * 60 * x)
      else if (y >= eaves && x > left && x < right) {
        const [u, v] = [((x - left) / (right - left)) * 4, ((y - eaves) / (bottom - eaves)) * 2]
        const isWindow = u % 1 > 0.28 && u % 1 < 0.72 && v % 1 > 0.25 && v % 1 < 0.75
        const isFrame = isWindow && (Math.abs((u % 1) - 0.5) < 0.03 || Math.abs((v % 1) - 0.5) < 0.03)
        light[p] = isFrame ? 0.85 : isWindow ? 0.2 : 0.74 + 0.03 * Math.sin(2 * Math.PI * 45 * y)
      } else if (y > 0.66 && (px % 9 < 3 || Math.abs(y - 0.685) < 0.004)) light[p] = 0.82
    }
}
