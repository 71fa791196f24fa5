/** Makes .xlsx workbooks for tests. */
import { crc32, deflateRawSync } from 'node:zlib'

/** A cell: a text, a number, or a date, which a workbook stores as a number with a style. */
export type WorkbookCell = string | number | Date

/** Encodes sheets of rows as a workbook. */
export function encodeWorkbook(sheets: Record<string, readonly (readonly WorkbookCell[])[]>): Buffer {
  const names = Object.keys(sheets)
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships'
  const relation = (id: string, type: string, target: string): string =>
    `<Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>`
  const types = names.map(
    (_, s) =>
      `<Override PartName="/xl/worksheets/sheet${s + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`,
  )
  return encodeZip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>${types.join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packageRelations}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names.map((name, s) => `<sheet name="${name}" sheetId="${s + 1}" r:id="rId${s + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageRelations}">${names.map((_, s) => relation(`rId${s + 1}`, 'worksheet', `worksheets/sheet${s + 1}.xml`)).join('')}${relation('rId99', 'styles', 'styles.xml')}</Relationships>`,
    // Style 1 is a date.
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      names.map((name, s) => [
        `xl/worksheets/sheet${s + 1}.xml`,
        `<worksheet xmlns="${main}"><sheetData>${sheets[name].map(rowXml).join('')}</sheetData></worksheet>`,
      ]),
    ),
  })
}

/** A row of a sheet as XML. */
const rowXml = (cells: readonly WorkbookCell[], row: number): string =>
  `<row r="${row + 1}">${cells.map((cell, c) => cellXml(cell, `${String.fromCharCode(65 + c)}${row + 1}`)).join('')}</row>`

/** A cell as XML. Days are counted from 30 December 1899. */
function cellXml(cell: WorkbookCell, at: string): string {
  if (typeof cell === 'string') return `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`
  return `<c r="${at}" s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`
}

/** Encodes files as a ZIP archive. */
function encodeZip(files: Record<string, string>): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0) // version
    fields.writeUInt16LE(8, 4) // deflate
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name)])
    // The length of a comment, the disk and the attributes, all 0, precede the offset of the header.
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name)]))
    local.push(header, packed)
    offset += header.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(central.length, 8)
  end.writeUInt16LE(central.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}
