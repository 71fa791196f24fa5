/**
 * Reads Arrow and Feather files in the page, by the reader of the library. flechette, and the zstd of
 * hyparquet's codecs, which browsers do not have, are loaded when the first one is opened.
 */
import { arrowAsText } from 'lacuna/internal'
import { type Table, textTable } from 'lacuna/tables'

/** Opens an Arrow file or stream as a table. @param maxBytes that its columns may unpack to */
export async function arrowTable(file: File, maxBytes: number): Promise<Table> {
  const { name } = file
  const [{ decompressZstd }, buffer] = await Promise.all([
    import('hyparquet-compressors'),
    file.arrayBuffer(),
  ])
  const open = await arrowAsText(new Uint8Array(buffer), name, maxBytes, (packed, length) =>
    decompressZstd(packed, new Uint8Array(length)),
  )
  const table = await textTable([{ name, open }], { delimiter: ',', decimal: '.', header: true })
  return { ...table, unit: 'row' }
}
