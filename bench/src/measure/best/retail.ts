/**
 * Synthetic retail sales: counts of shop × product × day. Products belong to groups with seasons of their own,
 * shops differ in size, in what they sell, and in their weekdays; promotions lift a product for some days in all
 * shops. Counts are Poisson.
 */
import type { SparseTensor } from 'lacuna'
import { draw, stream, unit } from 'lacuna/internal'

/** Sizes of the tensor, and the number of groups of products. */
const SHOPS = 24
const PRODUCTS = 60
const DAYS = 112
const GROUPS = 6

/** Draws all cells. @param seed of everything: rates and counts */
export function drawRetail(seed: number): SparseTensor {
  const random = numbers(stream(seed, 0x7e7a))
  const vector = (length: number, next: () => number): number[] => Array.from({ length }, next)
  const lognormal = (spread: number): number => Math.exp(spread * normal(random))
  const size = vector(SHOPS, () => lognormal(0.6))
  const weekday = vector(SHOPS, () => 0).map(() => vector(7, () => lognormal(0.25)))
  const taste = vector(SHOPS, () => 0).map(() => vector(GROUPS, () => lognormal(0.4)))
  const group = vector(PRODUCTS, () => Math.floor(random() * GROUPS))
  const popular = vector(PRODUCTS, () => 2 * lognormal(1))
  const phase = vector(GROUPS, () => 2 * Math.PI * random())
  const swing = vector(GROUPS, () => 0.6 * random())
  const weather = vector(DAYS, () => lognormal(0.15))
  const promoted = vector(PRODUCTS, () => 0).map(() => drawPromotions(random))
  const cells = SHOPS * PRODUCTS * DAYS
  const indices = [0, 1, 2].map(() => new Uint32Array(cells))
  const values = new Float32Array(cells)
  let cell = 0
  for (let shop = 0; shop < SHOPS; shop++)
    for (let product = 0; product < PRODUCTS; product++)
      for (let day = 0; day < DAYS; day++) {
        const g = group[product]
        const season = Math.exp(swing[g] * Math.sin((2 * Math.PI * day) / DAYS + phase[g]))
        const rate = size[shop] * taste[shop][g] * popular[product] * promoted[product][day]
        const today = weekday[shop][day % 7] * season * weather[day]
        indices[0][cell] = shop
        indices[1][cell] = product
        indices[2][cell] = day
        values[cell++] = poisson(rate * today, random)
      }
  return { dims: [SHOPS, PRODUCTS, DAYS], indices, values }
}

/** Draws the factor of each day for one product: 1, and 2.5 in two promotions of five days. */
function drawPromotions(random: () => number): number[] {
  const factors = Array.from({ length: DAYS }, () => 1)
  for (let promotion = 0; promotion < 2; promotion++) {
    const start = Math.floor(random() * (DAYS - 5))
    factors.fill(2.5, start, start + 5)
  }
  return factors
}

/** Returns a function whose calls are the draws of a stream, from 0 to 1. */
export function numbers(key: number): () => number {
  let counter = 0
  return () => unit(draw(key, counter++))
}

/** Draws a standard normal number by the Box–Muller transform. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** Draws a Poisson count: by inversion, or for large rates as a rounded normal number. */
export function poisson(rate: number, random: () => number): number {
  if (rate > 60) return Math.max(0, Math.round(rate + Math.sqrt(rate) * normal(random)))
  let product = random()
  let count = 0
  for (const least = Math.exp(-rate); product > least; count++) product *= random()
  return count
}
