/**
 * A picture that the project draws itself: the front of a palace in late light, seen a little from the side.
 * It is drawn from formulas at any size, so that demos, tests and experiments need no foreign photograph, and
 * has what photographs have: soft shadows, fine texture, slanting edges, smooth sky.
 *
 * The front is a plane with its own coordinates: x to the right, y down, the frame being 1 high.
 */
import { fractalNoise, noise } from './noise.ts'
import type { Picture } from './picture.ts'

/** A colour; 0 is black and 1 the brightest value of each channel. */
type Colour = [red: number, green: number, blue: number]

/** Heights on the front, from 0 at the top of the frame to 1. */
const ROOF = 0.13
const FRIEZE = 0.185
const SILL = 0.43
const COURSE = 0.475
const SPRING = 0.66
const FLOOR = 0.855
const GROUND = 0.955
/** Width of a bay: one arch below, one window above. */
const BAY = 0.27
/** How fast the front recedes to the right. */
const RECESSION = 0.3
/** Samples along each side of a pixel. */
const SAMPLES = 2

/**
 * Draws the front of a palace, 8 bits a value: the same picture wherever it is drawn.
 * @param width in pixels
 * @param height in pixels
 */
export function drawFacade(width: number, height: number): Picture {
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < height; i++)
    for (let j = 0; j < width; j++) {
      const sum: Colour = [0, 0, 0]
      for (let s = 0; s < SAMPLES * SAMPLES; s++) {
        const across = (j + ((s % SAMPLES) + 0.5) / SAMPLES - width / 2) / height
        const down = (i + (Math.floor(s / SAMPLES) + 0.5) / SAMPLES) / height
        const colour = colourAt(across, down)
        for (let k = 0; k < 3; k++) sum[k] += Math.min(1, Math.max(0, colour[k]))
      }
      for (let k = 0; k < 3; k++) data[(i * width + j) * 3 + k] = Math.round((255 * sum[k]) / SAMPLES ** 2)
    }
  return { width, height, channels: 3, maximum: 255, data }
}

/**
 * Returns the colour at a point of the frame: the sky, the pavement, or the front in perspective with its eye
 * level at the steps.
 * @param across from the middle to the right, in heights of the frame
 * @param down from 0 at the top to 1
 */
function colourAt(across: number, down: number): Colour {
  const nearness = 1 - RECESSION * across
  const x = across / nearness + 7 * BAY
  const y = (down - 0.8) / nearness + 0.8
  if (y < ROOF) return sky(across, down)
  if (y > GROUND) return pavement(across, down, y)
  return y > FLOOR ? steps(x, y) : front(x, y)
}

/** The sky with clouds, brighter towards the left and the horizon. */
function sky(across: number, down: number): Colour {
  const cloud = smooth(0.5, 0.78, fractalNoise(3 * across + 1.2 * down, 7 * down, 5))
  const glow = smooth(-0.8, 0.9, -across) * 0.12 + 0.35 * down
  return mix([0.36 + glow, 0.55 + glow, 0.8 + 0.5 * glow], [0.97, 0.93, 0.88], 0.75 * cloud)
}

/**
 * Stone in courses of blocks, each a little different, worn and streaked.
 * @param course the height of a course
 */
function stone(x: number, y: number, course: number): Colour {
  const row = Math.floor(y / course)
  const along = x / (2.4 * course) + (row % 2) / 2
  const tone = 0.93 + 0.1 * noise(Math.floor(along) * 3.7 + 0.5, row * 5.3 + 0.5)
  const joint = Math.min(edge(y / course) * course, edge(along) * 2.4 * course)
  const worn = 0.88 + 0.24 * fractalNoise(22 * x, 22 * y, 5)
  const streak = 1 - 0.16 * smooth(0.55, 0.85, noise(70 * x, 3 * y)) * smooth(0.5, 0.2, y)
  const light = tone * worn * streak * (0.8 + 0.2 * smooth(0, 0.0025, joint))
  return [0.86 * light, 0.755 * light, 0.6 * light]
}

/** The wall between roof and steps: cornice, upper storey, a band and the arcade. */
function front(x: number, y: number): Colour {
  if (y < FRIEZE) return cornice(x, y)
  const bay = Math.floor(x / BAY)
  const offset = x - (bay + 0.5) * BAY
  const lit = sunlight(x, y)
  if (y < COURSE) return scale(upperStorey(x, y, offset, bay), lit)
  if (y < COURSE + 0.022) {
    const band = (y - COURSE) / 0.022
    return scale(stone(x, y, 0.08), lit * (1.18 - 0.4 * band * band))
  }
  return scale(arcade(x, y, offset), lit)
}

/**
 * Returns the brightness of late sun from the left: the cornice and a neighbour's roof throw soft shadows.
 */
function sunlight(x: number, y: number): number {
  const underCornice = smooth(FRIEZE, FRIEZE + 0.035, y)
  const underCourse = y > COURSE + 0.022 ? smooth(COURSE + 0.02, COURSE + 0.045, y) : 1
  const neighbour = smooth(-0.012, 0.03, x - 7 * BAY + 0.62 - 0.55 * (y - 0.2))
  return (0.5 + 0.5 * underCornice) * (0.72 + 0.28 * underCourse) * (0.56 + 0.44 * neighbour)
}

/** The cornice under the roof, with a row of dentils. */
function cornice(x: number, y: number): Colour {
  const h = (y - ROOF) / (FRIEZE - ROOF)
  const worn = 0.93 + 0.14 * fractalNoise(30 * x, 30 * y, 4)
  const profile = h < 0.22 ? 1.12 : h < 0.34 ? 0.72 : h < 0.55 ? 0.98 - 0.25 * (h - 0.34) : 0
  if (profile > 0) return scale([0.9, 0.8, 0.66], profile * worn)
  const dentil = (x / 0.02) % 1
  const block = smooth(0.12, 0.2, dentil) * smooth(0.78, 0.7, dentil) * smooth(0.9, 0.84, h)
  return mix(scale([0.3, 0.25, 0.21], worn), scale([0.86, 0.76, 0.62], worn * (1 - 0.25 * dentil)), block)
}

/**
 * The upper storey: pilasters between bays, and an arched window in each.
 * @param offset from the middle of the bay
 * @param bay its number
 */
function upperStorey(x: number, y: number, offset: number, bay: number): Colour {
  const pilaster = 0.5 * BAY - Math.abs(offset)
  if (pilaster < 0.022) {
    const side = (Math.sign(-offset) * (0.022 - pilaster)) / 0.022
    const flute = 1 - 0.14 * smooth(0.3, 0, Math.abs(((((pilaster / 0.0074) % 1) + 1) % 1) - 0.5))
    const capital = y < FRIEZE + 0.03 ? 1.1 - 0.25 * edge((y - FRIEZE) / 0.012) : flute
    return scale(stone(x, y, 0.3), (1.06 + 0.1 * side) * capital)
  }
  const half = 0.058
  const top = 0.27
  const arch = y < top ? Math.hypot(offset, y - top) : Math.abs(offset)
  if (y > SILL && y < SILL + 0.014 && Math.abs(offset) < half + 0.022)
    return scale(stone(x, y, 0.2), y < SILL + 0.006 ? 1.2 : 0.75)
  if (y < SILL && arch < half) return windowPane(offset, y, half, top, bay)
  if (y < SILL && arch < half + 0.017) {
    const moulding = (arch - half) / 0.017
    return scale(stone(x, y, 0.25), 0.92 + 0.28 * Math.sin(5 * moulding) * (offset < 0 ? 0.6 : 1))
  }
  const shade = offset > half ? 1 - 0.3 * smooth(half + 0.035, half + 0.015, offset) : 1
  return scale(stone(x, y, 0.03), shade)
}

/** Glass that mirrors the evening sky, behind white bars, deep in its reveal. */
function windowPane(offset: number, y: number, half: number, top: number, bay: number): Colour {
  const reveal =
    smooth(-half, -half + 0.02, offset) * smooth(top - half, top - half + 0.045, y + 0.4 * Math.abs(offset))
  const bar = Math.min(
    Math.abs(offset),
    Math.abs(Math.abs(offset) - half + 0.004),
    y > top ? edge((y - top) / 0.053) * 0.053 : 1,
  )
  if (bar < 0.003) return scale([0.82, 0.8, 0.76], 0.35 + 0.65 * reveal)
  const mirrored = fractalNoise(9 * offset + 2.3 * bay, 6 * y + bay, 4)
  const glass = mix([0.1, 0.13, 0.17], [0.5, 0.6, 0.68], smooth(0.35, 0.75, mirrored + 0.6 * (0.35 - y)))
  return scale(glass, 0.3 + 0.7 * reveal)
}

/** The arcade: in each bay an arch on columns. @param offset from the middle of the bay */
function arcade(x: number, y: number, offset: number): Colour {
  const half = 0.098
  const radius = y < SPRING ? Math.hypot(offset, y - SPRING) : Math.abs(offset)
  if (radius < half) return passage(x, y, offset, half, radius)
  if (y < SPRING && radius < half + 0.03) {
    // Wedge stones around the arch, and the keystone.
    const angle = Math.atan2(offset, SPRING - y)
    const wedge = edge((angle / Math.PI) * 13 + 0.5)
    const keystone = Math.abs(angle) < 0.12 ? 1.13 : 1
    const rim = smooth(half, half + 0.004, radius) * smooth(half + 0.03, half + 0.027, radius)
    return scale(stone(x, y, 0.4), keystone * (0.72 + 0.34 * rim) * (0.82 + 0.18 * smooth(0, 0.06, wedge)))
  }
  if (y < SPRING) return stone(x, y, 0.034)
  return column(x, y, offset)
}

/** A column between two arches, with capital and base. @param offset from the middle of the bay */
function column(x: number, y: number, offset: number): Colour {
  const centre = Math.sign(offset) * 0.5 * BAY
  const away = (offset - centre) / (0.5 * BAY - 0.098)
  if (y < SPRING + 0.026) return scale(stone(x, y, 0.3), 1.15 - 0.4 * edge((y - SPRING) / 0.013))
  if (y > FLOOR - 0.024) return scale(stone(x, y, 0.3), 1.08 - 0.35 * edge((y - FLOOR) / 0.012))
  const waist = 0.8 + 0.06 * Math.sin(((y - SPRING) / (FLOOR - SPRING)) * Math.PI)
  const round = away / waist
  if (Math.abs(round) > 1) return scale([0.17, 0.14, 0.13], 1)
  const turned = Math.sqrt(1 - round * round)
  const light = Math.max(0.24, 0.35 + 0.62 * (0.8 * turned - 0.6 * round))
  return scale(stone(x + 0.02 * Math.asin(round), y, 0.5), 1.1 * light)
}

/** The dim passage behind an arch: a lit reveal on the right, a door and a back wall that fade with depth. */
function passage(x: number, y: number, offset: number, half: number, radius: number): Colour {
  const reveal = smooth(half - 0.024, half - 0.02, radius)
  if (reveal > 0.5) {
    const facing = y < SPRING ? offset / Math.max(radius, 1e-6) : Math.sign(offset)
    return scale(stone(x, y, 0.07), 0.42 + 0.5 * Math.max(0, facing) - (y < SPRING ? 0.12 : 0))
  }
  const back = offset + 0.03
  const depth = 0.2 + 0.24 * smooth(0.5, FLOOR, y) + 0.1 * fractalNoise(16 * x, 16 * y, 3)
  if (Math.abs(back) < 0.034 && y > 0.7) {
    const panel = edge((y - 0.7) / 0.05) * edge(back / 0.034)
    return scale([0.42, 0.22, 0.13], (0.5 + depth) * (0.7 + 0.5 * smooth(0.02, 0.12, panel)))
  }
  const floorLight = smooth(FLOOR - 0.03, FLOOR, y) * smooth(-half, half, -offset)
  return mix(scale([0.75, 0.58, 0.42], depth), [0.78, 0.66, 0.5], 0.7 * floorLight)
}

/** The four steps in front of the arcade. */
function steps(x: number, y: number): Colour {
  const step = ((y - FLOOR) / (GROUND - FLOOR)) * 4
  const part = step % 1
  const worn = 0.85 + 0.3 * fractalNoise(18 * x, 40 * y, 5)
  const tread = part < 0.36
  const joint = tread ? 1 : 0.88 + 0.12 * smooth(0, 0.02, edge(x / 0.17 + 0.37 * Math.floor(step)))
  const light = (tread ? 1.02 : 0.62 - 0.12 * smooth(0.36, 0.6, part)) * joint * worn * sunlight(x, 0.6)
  return scale([0.84, 0.77, 0.66], light)
}

/** Flagstones that run towards the eye. */
function pavement(across: number, down: number, y: number): Colour {
  const far = 0.03 / (0.012 + 0.5 * (y - GROUND))
  const [u, v] = [across * far * 2.4 + 0.4 * far, far * 3]
  const joint = Math.min(edge(u), edge(v))
  const tone = 0.86 + 0.18 * noise(Math.floor(u) * 2.9 + 0.5, Math.floor(v) * 4.1 + 0.5)
  const worn = 0.85 + 0.3 * fractalNoise(60 * across, 90 * down, 4)
  return scale([0.64, 0.59, 0.53], tone * worn * (0.72 + 0.28 * smooth(0, 0.05, joint)))
}

/**
 * Returns 0 below `from`, 1 above `to`, and a smooth step between; a falling one where `to` is the smaller.
 */
function smooth(from: number, to: number, x: number): number {
  const t = Math.min(1, Math.max(0, (x - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

/** Returns the distance of x to the nearest whole number. */
const edge = (x: number): number => Math.abs(x - Math.round(x))

/** Multiplies the brightness of a colour. */
const scale = ([r, g, b]: Colour, by: number): Colour => [r * by, g * by, b * by]

/** Blends two colours: a at the fraction 0, b at 1. */
const mix = (a: Colour, b: Colour, fraction: number): Colour => [
  a[0] + fraction * (b[0] - a[0]),
  a[1] + fraction * (b[1] - a[1]),
  a[2] + fraction * (b[2] - a[2]),
]
