/** Tables of other programs as bytes: Arrow (Feather) and .xlsx, read as CSV text; and tensors written as Arrow. */
export { arrowAsText } from './arrow.ts'
export { encodeTensorArrow } from './writeArrow.ts'
export { sheetAsText } from './xlsx.ts'
