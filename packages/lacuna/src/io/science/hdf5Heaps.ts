/**
 * Checks the global heaps of an HDF5 file, in which texts and references of variable length lie, and the sources of
 * virtual datasets. The HDF5 library loops forever over a heap that has an object of free space of size 0, and over
 * virtual datasets that declare more sources than there are, as damaged and hostile files do.
 * Layout: "HDF5 File Format Specification", III.E and IV.A.2.i (version 4, class 3).
 */

/** "GCOL", the signature of a heap, and the version and reserved bytes behind it. */
const SIGNATURE = [0x47, 0x43, 0x4f, 0x4c, 1, 0, 0, 0]
/** Bytes of the header of a heap, and of that of an object, where lengths have eight bytes. */
const HEADER = 16

/** Bytes of the layout of a virtual dataset: version 4, class 3, the address of a heap, the index of an object. */
const LAYOUT = 14
/** The fewest bytes of a source of a virtual dataset: two names and two selections. */
const SOURCE = 8

/**
 * Whether no heap has an object that the library would not get past.
 * @param base the position of the signature of HDF5, from which addresses are counted
 */
export function areHeapsWhole(bytes: Uint8Array, base: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = bytes.indexOf(4); at >= 0 && at + LAYOUT <= bytes.length; at = bytes.indexOf(4, at + 1))
    if (bytes[at + 1] === 3 && !areSourcesWhole(view, at, base)) return false
  for (let at = bytes.indexOf(SIGNATURE[0]); at >= 0; at = bytes.indexOf(SIGNATURE[0], at + 1))
    if (SIGNATURE.every((byte, i) => bytes[at + i] === byte) && !isHeapWhole(view, at)) return false
  return true
}

/** Whether a virtual dataset, if its layout is at a position, declares no more sources than its heap has room for. */
function areSourcesWhole(view: DataView, layout: number, base: number): boolean {
  const heap = base + Number(view.getBigUint64(layout + 2, true))
  if (heap + HEADER > view.byteLength || !SIGNATURE.every((byte, i) => view.getUint8(heap + i) === byte))
    return true
  const index = view.getUint32(layout + 10, true)
  const end = Math.min(view.byteLength, heap + Number(view.getBigUint64(heap + 8, true)))
  for (let at = heap + HEADER; at + HEADER + 9 <= end; ) {
    const size = Number(view.getBigUint64(at + 8, true))
    const object = view.getUint16(at, true)
    if (object === index) return Number(view.getBigUint64(at + HEADER + 1, true)) * SOURCE <= size
    at += Math.max(HEADER, object === 0 ? size : HEADER + Math.ceil(size / 8) * 8)
  }
  return true
}

/** Whether every object of the heap at a position lies within it. */
function isHeapWhole(view: DataView, start: number): boolean {
  if (start + HEADER > view.byteLength) return true // a truncated file, which is refused for that
  const end = Math.min(view.byteLength, start + Number(view.getBigUint64(start + 8, true)))
  let at = start + HEADER
  // A rest at the end that is shorter than a header is free space.
  while (at + HEADER <= end) {
    const isFree = view.getUint16(at, true) === 0
    const size = Number(view.getBigUint64(at + 8, true))
    const length = isFree ? size : HEADER + Math.ceil(size / 8) * 8
    // An object longer than the heap would wrap around in the 32-bit memory of WebAssembly.
    if (length < HEADER || at + length > end) return false
    at += length
  }
  return true
}
