// Elements of arrays by number.

@inline
/** Element i of an array of float32, in float64. */
export function f32At(array: usize, i: u32): f64 { return <f64>load<f32>(array + (<usize>i << 2)); }

@inline
/** Element i of an array of float64. */
export function f64At(array: usize, i: u32): f64 { return load<f64>(array + (<usize>i << 3)); }

@inline
/** Element i of an array of words. */
export function u32At(array: usize, i: u32): u32 { return load<u32>(array + (<usize>i << 2)); }

@inline
/** Element i of an array of addresses. */
export function addressAt(table: usize, i: u32): usize { return load<u32>(table + (<usize>i << 2)); }

@inline
/** Sets element i of an array of float32. */
export function setF32(array: usize, i: u32, x: f64): void { store<f32>(array + (<usize>i << 2), <f32>x); }

@inline
/** Sets element i of an array of float64. */
export function setF64(array: usize, i: u32, x: f64): void { store<f64>(array + (<usize>i << 3), x); }

@inline
/** Sets element i of an array of words. */
export function setU32(array: usize, i: u32, x: u32): void { store<u32>(array + (<usize>i << 2), x); }
