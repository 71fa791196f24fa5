/** Zip files in memory, for session files. */
import { decodeNpz, encodeNpz } from 'lacuna/formats'

/** Packs files into a zip file, without compression. */
export async function packFiles(files: Readonly<Record<string, Blob | Uint8Array>>): Promise<Blob> {
  const entries: Record<string, Uint8Array> = {}
  for (const [name, content] of Object.entries(files))
    entries[name] = content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content
  return new Blob([encodeNpz(entries)])
}

/** Unpacks a zip file; throws if it is damaged. */
export async function unpackFiles(file: File): Promise<Record<string, Uint8Array>> {
  const entries = decodeNpz(new Uint8Array(await file.arrayBuffer()), file.name)
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, content]) =>
      content instanceof Uint8Array ? [[name, content] as const] : [],
    ),
  )
}
