/** Decides which view opens a file that was dropped on the page, pasted or chosen on the first screen. */

/** A file as far as its view depends on it. */
type NamedFile = Pick<File, 'name' | 'type'>

/** Endings of pictures, for systems that give a file no media type. */
const PICTURE_ENDING = /\.(png|jpe?g|jfif|webp|avif|gif|bmp|ico|svg)$/i

/** Whether this is a picture that a browser can show. */
export const isPicture = ({ name, type }: NamedFile): boolean =>
  type.startsWith('image/') || (type === '' && PICTURE_ENDING.test(name))

/**
 * The view for some files: Restore if all are pictures, else Complete, which opens tables, tensors, models and
 * sessions and can say what is wrong with anything else.
 */
export const chooseView = (files: readonly NamedFile[]): 'restore' | 'complete' =>
  files.every(isPicture) ? 'restore' : 'complete'

/** The least rows and columns of pasted text that is taken for a table. */
const LEAST_ROWS = 2

/** Whether text has several rows of the same number of cells, separated by tabs, commas or semicolons. */
export function looksLikeTable(text: string): boolean {
  const rows = text.trim().split(/\r?\n/)
  if (rows.length < LEAST_ROWS) return false
  return ['\t', ',', ';'].some((separator) => {
    const cells = rows.map((row) => row.split(separator).length)
    return cells[0] > 1 && cells.every((count) => count === cells[0])
  })
}

/** Pasted text as a file that Complete opens. */
export const pastedTable = (text: string): File =>
  text.trim().split(/\r?\n/, 1)[0].includes('\t')
    ? new File([text], 'pasted.tsv', { type: 'text/tab-separated-values' })
    : new File([text], 'pasted.csv', { type: 'text/csv' })
