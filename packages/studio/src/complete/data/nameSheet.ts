/** Names a sheet of a workbook in the name of its file, by which the worker opens it (worker/openTable.ts). */

/** The file of a workbook with the name of a sheet in brackets: book [Sales].xlsx. */
export function nameSheet(file: File, sheet: string): File {
  const [, stem, ending] = /^(.*?)(?: \[[^[\]]*\])?(\.\w+)$/s.exec(file.name) ?? [undefined, file.name, '']
  return new File([file], `${stem} [${sheet}]${ending}`, { lastModified: file.lastModified })
}
