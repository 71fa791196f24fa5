/**
 * Sizes, names and labels of a tensor in comments at the head of a .tns file, which other tools pass over:
 *
 *     # lacuna {"dims":[2,3],"modes":[{"name":"user"},{"name":"day","type":"DATE"}],"value":"rating"}
 *     # lacuna {"mode":1,"labels":["ann","bob"]}
 *
 * The labels of a mode may be spread over several lines, in order; a mode without such lines has none.
 */

import type { Bytes } from '../../base/bytes.ts'
import { InputError } from '../../base/inputError.ts'
import { largestPlusOne, type Mode, type SparseTensor } from '../../tensor/index.ts'
import {
  abbreviate,
  findRepeated,
  isArrayOf,
  isNumber,
  isRecord,
  isString,
  isStrings,
  readModes,
} from '../text/index.ts'

/** The sizes and names in the header of a .tns file. */
export interface TnsHeader {
  dims?: readonly number[]
  modes?: readonly Mode[]
  labels?: (string[] | undefined)[]
  valueName?: string
}

/** The beginning of every line of the header. */
const MARK = '# lacuna {'
const MARK_BYTES = new TextEncoder().encode(MARK)
/** Characters of labels from which on a line ends: a reader refuses lines beyond 1 MiB. */
const LINE_LETTERS = 2 ** 16

/** Yields the lines of the header; none if the entries alone give the sizes and there are no names. */
export function* writeHeader(tensor: SparseTensor): Generator<Bytes> {
  const { dims, indices, labels, modes, valueName } = tensor
  const line = (content: object) => new TextEncoder().encode(`# lacuna ${JSON.stringify(content)}\n`)
  const hasNames = labels?.some(Boolean) || modes || valueName !== undefined
  if (!hasNames && dims.every((dim, mode) => dim === largestPlusOne(indices[mode]))) return
  yield line({ dims, modes, value: valueName })
  for (const [mode, names] of labels?.entries() ?? []) {
    let run: string[] = []
    let letters = 0
    for (const name of names ?? []) {
      run.push(name)
      letters += name.length
      if (letters < LINE_LETTERS) continue
      yield line({ mode: mode + 1, labels: run })
      run = []
      letters = 0
    }
    if (run.length > 0) yield line({ mode: mode + 1, labels: run })
  }
}

/** Whether a line of the header begins at a position, and not some other comment. */
export function startsHeaderLine(bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < MARK_BYTES.length; at++) if (bytes[start + at] !== MARK_BYTES[at]) return false
  return true
}

/**
 * Adds the content of a line of the header to `header`, in place. Throws if it is not valid.
 * @param where file and line
 */
export function readHeaderLine(header: TnsHeader, line: Uint8Array, where: string): void {
  const content = parseObject(new TextDecoder().decode(line.subarray(MARK.length - 1)))
  const modes = content?.modes === undefined ? undefined : readModes(content.modes)
  const readable = content?.modes === undefined || modes !== undefined
  if (content && readable && isArrayOf(content.dims, isNumber)) {
    header.dims = content.dims
    if (modes) header.modes = modes
    if (isString(content.value)) header.valueName = content.value
  } else if (content && isModeOf(content.mode, header.dims) && header.dims && isStrings(content.labels)) {
    header.labels ??= header.dims.map(() => undefined)
    const known = header.labels[content.mode - 1] ?? []
    for (const label of content.labels) known.push(label)
    header.labels[content.mode - 1] = known
  } else {
    throw new InputError(
      'format',
      `${where}: the comment of Lacuna's cannot be read; the file was changed, remove the lines that begin with # lacuna.`,
    )
  }
}

/** Whether a value of JSON is the number of a mode, from 1 to the number of `dims`. */
const isModeOf = (mode: unknown, dims: readonly number[] | undefined): mode is number =>
  isNumber(mode) && Number.isInteger(mode) && mode >= 1 && mode <= (dims?.length ?? 0)

/** Returns the header; throws if it is not consistent or has not `order` modes, as the entries have. */
export function checkHeader(header: TnsHeader, order: number): TnsHeader {
  const { dims, modes, labels } = header
  const wrong = (what: string) =>
    new InputError(
      'format',
      `${what} in the comments that begin with # lacuna; the file was changed, remove these lines.`,
    )
  for (const list of [dims, modes, labels])
    if (list && list.length !== order)
      throw wrong(`the entries have ${order} indices, but there are ${list.length} modes`)
  labels?.forEach((names, mode) => {
    if (names && names.length !== dims?.[mode])
      throw wrong(`mode ${mode + 1} has ${names.length} labels for ${dims?.[mode]} indices`)
    const repeated = names && findRepeated(names)
    if (repeated !== undefined) throw wrong(`mode ${mode + 1} has the label "${abbreviate(repeated)}" twice`)
  })
  return header
}

/** Parses a text as a JSON object; undefined if it is none. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isRecord(json) ? json : undefined
  } catch {
    return undefined
  }
}
