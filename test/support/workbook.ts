// Builds workbooks (.xlsx) from XML.

import { deflateRawSync } from 'node:zlib'

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** `sheets`: the XML of each sheet's rows. `parts`: more files, or others in place of the usual ones. */
export function workbookOf(
  sheets: readonly { rows: string; state?: string }[],
  parts: Record<string, string> = {},
  workbookProperties = '',
): Uint8Array {
  const files: Record<string, string> = {
    '_rels/.rels': relations([['book', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns:r="${RELATIONS}"><workbookPr ${workbookProperties}/><sheets>${sheets
      .map(({ state = 'visible' }, n) => `<sheet name="S${n}" sheetId="${n}" state="${state}" r:id="sheet${n}"/>`)
      .join('')}</sheets></workbook>`,
    // In another order than the sheets.
    'xl/_rels/workbook.xml.rels': relations([
      ['strings', 'sharedStrings', '/xl/sharedStrings.xml'],
      ['styles', 'styles', 'styles.xml'],
      ...sheets.map((_, n) => [`sheet${n}`, 'worksheet', `worksheets/sheet${n}.xml`] as const).reverse(),
    ]),
  }
  for (const [n, { rows }] of sheets.entries()) {
    files[`xl/worksheets/sheet${n}.xml`] = `<worksheet><cols/><sheetData>${rows}</sheetData></worksheet>`
  }
  return zipOf({ ...files, ...parts })
}

function relations(all: readonly (readonly [id: string, type: string, target: string])[]): string {
  const each = all.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  )
  return `<Relationships>${each.join('')}</Relationships>`
}

/** `claimed`: sizes to write into the directory instead of the true ones, by file name. */
export function zipOf(files: Record<string, string>, claimed: Record<string, number> = {}): Uint8Array {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []]
  let start = 0
  for (const [name, text] of Object.entries(files)) {
    const contents = Buffer.from(text)
    const packed = deflateRawSync(contents)
    // From the version to the length of the extra field (APPNOTE.TXT 4.3.7).
    const common = Buffer.alloc(26)
    common.set([20, 0, 0, 8, 8])
    common.writeUInt32LE(Bun.hash.crc32(contents), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claimed[name] ?? contents.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(start, 10)
    const local = [Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]
    bodies.push(...local)
    directory.push(Buffer.from('PK\x01\x02\x14\0'), common, place, Buffer.from(name))
    start += Buffer.concat(local).length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(start, 12)
  return Buffer.concat([...bodies, ...directory, Buffer.from('PK\x05\x06'), end])
}
