/**
 * Links: a model can be learned on √x or log(1 + x) instead of the values x themselves. Both map [0, ∞) to
 * itself, so that factors stay nonnegative. A prediction is the mean of x in data units. With z the product of
 * factors and v the variance of the noise around it, both on the scale of the link, that mean is z² + v for
 * √x, and for log(1 + x), if the noise is normal, exp(z + v/2) − 1; without v it would be too small.
 */
import { float32Array } from '../../base/sharedArrays.ts'
import type { SparseTensor } from '../../tensor/index.ts'

/** The function of the values that a model is learned on: x itself, √x or log(1 + x). */
export type LinkName = 'identity' | 'sqrt' | 'log1p'
/** All links. */
export const linkNames: readonly LinkName[] = ['identity', 'sqrt', 'log1p']

/** The link of a model, with what the mean in data units depends on. */
export interface Link {
  /** Its name; models of the values themselves have no link. */
  name: Exclude<LinkName, 'identity'>
  /**
   * v₀, v₁ and v₂ in the variance of the noise on the scale of the link, v₀ + v₁ z + v₂ z², where z is the
   * product of factors, at least `least`.
   */
  variance: readonly [number, number, number]
  /** Smallest z in the variance of the noise; smaller ones count as this. */
  least: number
  /** Mean of the training values on the scale of the link. */
  mean: number
}

/** The scale of each link in words, for sentences: `on square roots`. */
export const linkScaleNames: Readonly<Record<LinkName, string>> = {
  identity: '',
  sqrt: 'on square roots',
  log1p: 'on logarithms of 1 + x',
}

/** The largest float32: predictions on the scale of a logarithm may be larger. */
const MOST = 3.4028234663852886e38

/** Returns a value on the scale of a link; x must not be negative. */
export function linkValue(name: LinkName, x: number): number {
  if (name === 'identity') return x
  return name === 'sqrt' ? Math.sqrt(x) : Math.log1p(x)
}

/** Returns a tensor with its values on the scale of a link; with 'identity' the tensor itself. */
export function linkTensor(tensor: SparseTensor, name: LinkName): SparseTensor {
  if (name === 'identity') return tensor
  const values = float32Array(tensor.values.length)
  for (let e = 0; e < values.length; e++) values[e] = linkValue(name, tensor.values[e])
  return { ...tensor, values }
}

/**
 * The mean in data units of a value whose mean on the scale of the link is z; of several cells, the mean over
 * them. It is never negative, and grows with z.
 * @param spread variance of z between the cells that are averaged; 0 for a single cell
 */
export function meanInDataUnits({ name, variance, least }: Link, z: number, spread = 0): number {
  const [v0, v1, v2] = variance
  const level = Math.max(z, least)
  const total = v0 + v1 * level + v2 * (level * level + spread) + spread
  return Math.min(MOST, name === 'sqrt' ? z * z + total : Math.expm1(z + total / 2))
}
