// Unpacks texts from a ZIP archive (APPNOTE.TXT 4.3), and never more than the sizes in its directory allow.

export class Archive {
  private readonly entries = new Map<string, { isPacked: boolean; packedBytes: number; bytes: number; start: number }>()
  private readonly view: DataView
  private readonly short = (at: number) => this.view.getUint16(at, true)
  private readonly long = (at: number) => this.view.getUint32(at, true)

  /** Throws Error if the directory is missing or damaged. */
  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    // A comment can follow the end of the directory.
    let end = bytes.byteLength - 22
    while (this.long(end) !== 0x06054b50) end--
    let at = this.long(end + 16)
    for (let left = this.short(end + 10); left > 0; left--) {
      if (this.long(at) !== 0x02014b50) throw new Error('The directory of the archive is damaged.')
      const [isPacked, start] = [this.short(at + 10) !== 0, this.long(at + 42)]
      const nameEnd = at + 46 + this.short(at + 28)
      const name = new TextDecoder().decode(bytes.subarray(at + 46, nameEnd))
      this.entries.set(keyOf(name), { isPacked, packedBytes: this.long(at + 20), bytes: this.long(at + 24), start })
      at = nameEnd + this.short(at + 30) + this.short(at + 32)
    }
  }

  /** Returns the bytes of all unpacked XML files, by the sizes in the directory. */
  xmlBytes(): number {
    return [...this.entries].reduce((sum, [name, { bytes }]) => sum + (/\.(?:xml|rels)$/.test(name) ? bytes : 0), 0)
  }

  /** Resolves with the UTF-8 text of a file, or '' if there is no such file. Rejects if it has another size. */
  async text(name: string): Promise<string> {
    const entry = this.entries.get(keyOf(name))
    if (!entry) return ''
    const start = entry.start + 30 + this.short(entry.start + 26) + this.short(entry.start + 28)
    const packed = new Blob([this.bytes.subarray(start, start + entry.packedBytes)]).stream()
    const unpacked = entry.isPacked ? packed.pipeThrough(new DecompressionStream('deflate-raw')) : packed
    const [reader, decoder] = [unpacked.getReader(), new TextDecoder('utf-8', { fatal: true })]
    let [left, text] = [entry.bytes, '']
    for (;;) {
      const { done, value } = await reader.read()
      left -= value?.byteLength ?? 0
      if (left < 0 || (done && left > 0)) {
        await reader.cancel()
        throw new Error(`${name} has another size than in the directory of the archive.`)
      }
      text += decoder.decode(value, { stream: !done })
      if (done) return text
    }
  }
}

/** Programs write names in any case and with either slash. */
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').toLowerCase()
}
