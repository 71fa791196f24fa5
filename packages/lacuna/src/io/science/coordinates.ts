/** Coordinate variables: the arrays that label the axes of others, by the conventions of NetCDF, HDF5 and Zarr. */
import { numberText } from '../../labels/index.ts'
import type { Mode } from '../../tensor/index.ts'
import type { ArrayVariable } from './arrayFile.ts'
import { cfTimes } from './cfTime.ts'

/** The names of arrays that label axes, or bound them, or that attributes of others name as coordinates. */
export function coordinateNames(variables: readonly ArrayVariable[]): Set<string> {
  const names = new Set<string>()
  for (const variable of variables) {
    variable.dimensions.forEach((_, axis) => {
      const found = coordinateOf(variable, axis, variables)
      if (found) names.add(found.name)
    })
    for (const key of ['coordinates', 'bounds', 'climatology', 'ancillary_variables']) {
      const listed = variable.attributes[key]
      if (typeof listed !== 'string') continue
      for (const name of listed.split(/\s+/)) names.add(groupOf(variable.name) + name)
    }
  }
  return names
}

/** The array that labels an axis: attached as its scale, or of the name of its dimension and its length. */
function coordinateOf(
  variable: ArrayVariable,
  axis: number,
  variables: readonly ArrayVariable[],
): ArrayVariable | undefined {
  const dimension = variable.dimensions[axis]
  const paths = [...(variable.scales?.[axis] ?? [])]
  if (dimension !== undefined)
    for (let group = groupOf(variable.name); ; group = groupOf(group.slice(0, -1))) {
      paths.push(group + dimension)
      if (group === '') break
    }
  for (const path of paths) {
    const found = variables.find(({ name }) => name === path)
    const isLabel =
      found !== undefined &&
      found !== variable &&
      (found.kind === 'number' || found.kind === 'text') &&
      found.shape.length === 1 &&
      found.shape[0] === variable.shape[axis]
    if (isLabel) return found
  }
}

/** The group of an array's path with its slash; empty for one outside of groups. */
const groupOf = (path: string): string => path.replace(/[^/]*$/s, '')

/** The name of a mode, and its labels. */
export interface AxisLabels {
  mode: Mode
  /** A label per index; undefined if the axis has none. */
  labels?: string[]
  /** Why the coordinates of the axis are no labels, to go after their name. */
  fault?: string
}

/** Reads the name and the labels of an axis. @param position of the axis, from 0 */
export async function readAxis(
  variable: ArrayVariable,
  axis: number,
  variables: readonly ArrayVariable[],
): Promise<AxisLabels> {
  const name = variable.dimensions[axis] ?? `axis_${axis + 1}`
  const coordinate = coordinateOf(variable, axis, variables)
  if (!coordinate) return { mode: { name } }
  const { labels, type } = await readLabels(coordinate)
  if (new Set(labels).size < labels.length) return { mode: { name }, fault: 'has equal elements' }
  if (labels.some((label) => label === '' || label === 'NaN'))
    return { mode: { name }, fault: 'has empty elements' }
  return { mode: { name, type }, labels }
}

/** Reads the elements of a coordinate variable as labels of a type. */
async function readLabels(coordinate: ArrayVariable): Promise<{ labels: string[]; type: string }> {
  if (coordinate.readTexts) return { labels: await coordinate.readTexts(), type: 'VARCHAR' }
  const { data } = await coordinate.read()
  const times = cfTimes(data, coordinate.attributes)
  if (times) return times
  const isWhole = !(data instanceof Float32Array || data instanceof Float64Array)
  const type = isWhole ? 'BIGINT' : 'DOUBLE'
  // The shortest digits of a float32: 50.1, not the double 50.09999847412109.
  const digits = (x: number): number => (data instanceof Float32Array ? shortestFloat32(x) : x)
  return {
    labels: Array.from<number | bigint, string>(data, (x) =>
      typeof x === 'bigint' ? String(x) : numberText(digits(x), type),
    ),
    type,
  }
}

/** The double with the fewest decimal digits that rounds to the same float32. */
function shortestFloat32(x: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits))
    if (Math.fround(short) === x) return short
  }
  return x
}
