/**
 * Time as one axis: one mode, or several from the slowest to the fastest, as day and slot. The step of a cell
 * is day · slots + slot, whatever the order of the modes in the tensor. The axis may be one mode of the factors
 * (the modes are merged), or several (they are not, or a mode is split by a period); then each of these has the
 * distances that are multiples of its unit, and all but the slowest are circles: the last slot of a day is next
 * to the first of the next day.
 */
import { InputError, option, type Sentence, sentence } from '../../base/inputError.ts'
import type { SideInformation } from '../../engine/engine.ts'
import { modeName } from '../../model/index.ts'
import { type Digit, modeNumber, type ReshapedModes, type SparseTensor } from '../../tensor/index.ts'

/** Names and sizes of the modes of a tensor. */
type Frame = Pick<SparseTensor, 'dims' | 'modes'>

/** A reshaped mode that is the whole axis, or one of the scales of time that make it up. */
interface AxisMode {
  /** The number of the reshaped mode. */
  mode: number
  /** The steps of the axis from one row to the next. */
  unit: number
  /** The number of rows. */
  count: number
  /** Whether the last row is next to the first: true except for the slowest. */
  isCyclic: boolean
  /** The rows in the order of time; undefined if that is their order. */
  order?: Uint32Array
}

/** A reshaped mode whose rows an axis of time couples. */
export interface CoupledMode {
  /** The number of the reshaped mode. */
  mode: number
  /** The modes of the tensor that are the axis, from the slowest to the fastest. */
  axis: readonly number[]
  /** The steps of the axis from one row to the next. */
  unit: number
  /** The lags of its rows. */
  side: SideInformation & { lags: number[] }
}

/**
 * The modes of an axis by number, from the slowest to the fastest.
 * @param name a mode, or several joined by +, by their names or numbers from 1
 * @param what the option that names it, in messages; lags by default
 */
export function axisModes(frame: Frame, name: string, what = option('lags')): number[] {
  const isName = frame.modes?.some((mode) => mode.name === name) ?? false
  const names = isName ? [name] : name.split('+')
  const axis = names.map((one) => modeNumber(frame, one.trim(), what))
  if (new Set(axis).size < axis.length)
    throw new InputError('option', sentence`${what} of ${name} names a mode twice.`)
  return axis
}

/**
 * Returns which rows of which reshaped modes distances along an axis couple. Throws if the axis is merged with
 * other modes, or a distance fits none of its reshaped modes.
 * @param frame the tensor as given
 * @param name the axis, as messages name it: see axisModes
 * @param distances in steps of the axis
 */
export function coupleAxis(
  frame: Frame,
  modes: ReshapedModes,
  name: string,
  distances: readonly number[],
): CoupledMode[] {
  const axis = axisModes(frame, name)
  const scales = axisScales(frame, modes, name, axis)
  const lags = scales.map((): number[] => [])
  for (const distance of distances) {
    const at = scales.findIndex(({ unit, count }) => distance % unit === 0 && distance < unit * count)
    if (at < 0) throw new InputError('option', refusal(scales, name, distance))
    const { unit, count, isCyclic } = scales[at]
    const lag = distance / unit
    // On a cyclic mode the distance is the shorter way round.
    lags[at].push(isCyclic ? Math.min(lag, count - lag) : lag)
  }
  return scales.flatMap(({ mode, unit, isCyclic, order }, at) => {
    const side = { lags: [...new Set(lags[at])], ...(isCyclic && { isCyclic }), ...(order && { order }) }
    return lags[at].length === 0 ? [] : [{ mode, axis, unit, side }]
  })
}

/** The sentence that refuses a distance which is no distance between rows of any of these modes. */
function refusal(scales: readonly AxisMode[], name: string, distance: number): Sentence {
  const start = sentence`${option('lags')} of ${name} has ${distance}, and`
  if (scales.length === 1)
    return sentence`${start} there are only ${scales[0].count} rows; give distances below that.`
  const fitting = scales.map(({ unit, count }) =>
    unit === 1 ? `whole numbers below ${count}` : `multiples of ${unit} below ${unit * count}`,
  )
  return sentence`${start} its rows are those of ${scales.length} modes; give ${fitting.join(', or ')}, or merge the modes.`
}

/** The reshaped modes of an axis, from the slowest to the fastest. */
function axisScales(frame: Frame, modes: ReshapedModes, name: string, axis: readonly number[]): AxisMode[] {
  const strides = axis.map((_, at) => axis.slice(at + 1).reduce((steps, mode) => steps * frame.dims[mode], 1))
  /** The steps of the axis by which a digit counts; undefined if its mode is not of the axis. */
  const stepsOf = ({ mode, stride }: Digit): number | undefined =>
    axis.includes(mode) ? stride * strides[axis.indexOf(mode)] : undefined
  const scales = modes.digits.flatMap((digits, mode): (AxisMode & { slowest: number })[] => {
    if (digits.every((digit) => stepsOf(digit) === undefined)) return []
    const scale = scaleOf(digits.map((digit) => ({ ...digit, steps: stepsOf(digit) })))
    if (!scale)
      throw new InputError(
        'option',
        sentence`${option('lags')} is of ${name}, but the merged mode ${digits.map((digit) => modeName(frame, digit.mode)).join('+')} is no stretch of time in it; name the modes that are merged from the slowest to the fastest, as in day+slot=1,24, or leave one of them out.`,
      )
    return [{ mode, ...scale }]
  })
  scales.sort((a, b) => b.slowest - a.slowest)
  return scales.map(({ slowest, ...scale }, at) => ({ ...scale, isCyclic: at > 0 }))
}

/**
 * The unit, the number of rows and the order of a reshaped mode whose digits count consecutive steps of the
 * axis, and the steps of its slowest digit; undefined if they do not.
 */
function scaleOf(
  digits: readonly (Digit & { steps?: number })[],
): (Omit<AxisMode, 'mode'> & { slowest: number }) | undefined {
  const sorted = digits.toSorted((a, b) => (b.steps ?? 0) - (a.steps ?? 0))
  const isStretch = sorted.every(({ steps }, at) => {
    const next = sorted[at + 1]
    return steps !== undefined && (!next || steps === next.steps! * next.size)
  })
  if (!isStretch) return undefined
  const unit = sorted[sorted.length - 1].steps!
  const count = digits.reduce((rows, { size }) => rows * size, 1)
  const isInOrder = sorted.every((digit, at) => digit === digits[at])
  const scale = { unit, count, isCyclic: false, slowest: sorted[0].steps! }
  return isInOrder ? scale : { ...scale, order: orderOf(sorted, unit, count) }
}

/** The rows of a reshaped mode by their position in time. */
function orderOf(digits: readonly (Digit & { steps?: number })[], unit: number, count: number): Uint32Array {
  const order = new Uint32Array(count)
  for (let position = 0; position < count; position++)
    for (const { steps, size, weight } of digits)
      order[position] += (Math.floor((position * unit) / steps!) % size) * weight
  return order
}
