/** The values by which NetCDF marks elements that were never written, where a variable names no other. */
const DEFAULT_FILLS: Readonly<Record<string, number>> = {
  int16: -32767,
  uint16: 65_535,
  int32: -2147483647,
  uint32: 4_294_967_295,
  float32: Math.fround(9.969209968386869e36),
  float64: 9.969209968386869e36,
}

/** NetCDF's default fill value of a type, as a list; none for bytes, all of whose values are in use. */
export const defaultFills = (type: string): number[] => (type in DEFAULT_FILLS ? [DEFAULT_FILLS[type]] : [])
