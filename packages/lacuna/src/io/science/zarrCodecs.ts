/**
 * Codecs of Zarr with limits: a chunk unpacks to the size that the array's metadata declares, or is refused. gzip
 * and zlib are unpacked up to it; blosc, lz4 and zstd declare their size in their first bytes.
 */
import { InputError } from '../../base/inputError.ts'
import { elementCount } from './arrayFile.ts'
import { unpackLimited } from './unpack.ts'

/** A codec that packs bytes, as zarrita takes it. */
interface Codec {
  kind?: string
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>
}
/** The metadata of a chunk that zarrita passes to a codec. */
interface ChunkMetadata {
  dataType: string
  shape: readonly number[]
}
/** Loads a codec by its name. */
type CodecLoader = () => unknown
/** The class of a codec. */
interface CodecClass {
  fromConfig(configuration: unknown, metadata: ChunkMetadata): Codec
}

/** Bytes of the elements of a chunk, with room for what filters add to them. */
function mostBytes({ dataType, shape }: ChunkMetadata): number {
  const bits = Number(/^(?:u?int|float)(8|16|32|64)$/.exec(dataType)?.[1] ?? NaN)
  const [, kind, width] = /^v2:([SU])(\d+)$/.exec(dataType) ?? []
  const size = bits > 0 ? bits / 8 : width === undefined ? 1024 : Number(width) * (kind === 'U' ? 4 : 1)
  return elementCount(shape) * size + 2 ** 16
}

/** The error for a chunk that is larger than it may be. */
const tooLarge = (limit: number): InputError =>
  new InputError(
    'memory',
    `a chunk unpacks to more than the ${limit} bytes that its array declares, as a bomb does; write it again.`,
  )

/** Per codec, the unpacked size that bytes declare; undefined if they do not. */
const DECLARED: Readonly<Record<string, (view: DataView) => number | undefined>> = {
  blosc: (view) => view.getUint32(4, true),
  lz4: (view) => view.getUint32(0, true),
  zstd: zstdSize,
}

/** The content size in the header of a zstd frame (RFC 8878, 3.1.1.1); undefined if it is not there. */
function zstdSize(view: DataView): number | undefined {
  if (view.getUint32(0, true) !== 0xfd2fb528) return undefined
  const descriptor = view.getUint8(4)
  const isSingle = (descriptor & 0x20) !== 0
  const start = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]
  switch (descriptor >> 6) {
    case 0:
      return isSingle ? view.getUint8(start) : undefined
    case 1:
      return view.getUint16(start, true) + 256
    case 2:
      return view.getUint32(start, true)
    default:
      return Number(view.getBigUint64(start, true))
  }
}

/** The names of codecs that have their limits, per registry of codecs. */
const limited = new WeakSet<object>()

/** Gives the codecs of a registry their limits, once. */
export function limitCodecs(registry: Map<string, CodecLoader>): void {
  if (limited.has(registry)) return
  limited.add(registry)
  for (const prefix of ['', 'numcodecs.']) {
    for (const name of ['gzip', 'zlib'])
      registry.set(`${prefix}${name}`, () => ({
        fromConfig: (_: unknown, metadata: ChunkMetadata) => {
          const limit = mostBytes(metadata)
          return {
            kind: 'bytes_to_bytes',
            decode: (bytes: Uint8Array) => unpackLimited(bytes, limit, () => tooLarge(limit)),
          }
        },
      }))
    for (const [name, sizeOf] of Object.entries(DECLARED)) {
      const load = registry.get(`${prefix}${name}`)
      if (!load) continue
      registry.set(`${prefix}${name}`, async () => {
        const Original = (await load()) as CodecClass
        return {
          fromConfig(configuration: unknown, metadata: ChunkMetadata): Codec {
            const codec = Original.fromConfig(configuration, metadata)
            const limit = mostBytes(metadata)
            return {
              kind: codec.kind ?? 'bytes_to_bytes',
              decode(bytes) {
                const size = sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
                if (size === undefined || size > limit) throw tooLarge(limit)
                return codec.decode(bytes)
              },
            }
          },
        }
      })
    }
  }
}
