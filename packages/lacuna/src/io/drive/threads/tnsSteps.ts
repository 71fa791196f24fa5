/**
 * The two steps of a thread that reads a .tns file. First it counts the lines of blocks, which gives the
 * position of every entry; then it parses the lines and writes the entries to these positions. A line that
 * the kernel does not accept makes its block faulty; the main thread parses that block again with the parser
 * that explains faults.
 */
import { byteOrderMarkLength, endOfPlainLine, isEntryLine, LF, SPACE, TAB } from '../../text/index.ts'
import { LineKernel, LONGEST_LINE } from '../../tns/index.ts'
import { readFully, recordFault, takeBlocks } from './blocks.ts'
import type { Blocks, CountRequest, ParseAnswer, ParseRequest } from './messages.ts'

/** Bytes behind a block that are read with it, since most often its last line ends there. */
const SLACK = 2 ** 10
/** Bytes before a block that are read with it: a line begins in the block if a line feed precedes it. */
const LEAD = 1

/** The two steps of reading a .tns file, to be called in this order. */
export interface TnsSteps {
  /** Takes blocks and fills in the numbers of their lines and entries. */
  count(request: CountRequest): void
  /** Takes blocks of the file counted before and writes their entries to the tensor's columns. */
  parse(request: ParseRequest): ParseAnswer
}

/** Returns the steps of one thread, which share a kernel. */
export function tnsSteps(): TnsSteps {
  let kernel: LineKernel
  let request: CountRequest
  return {
    count(given) {
      const { file, module, layout, limits } = given
      request = given
      kernel = new LineKernel(module, layout, limits, LEAD + file.blockBytes + LONGEST_LINE + SLACK)
      for (const block of takeBlocks(file, given.lines.length))
        if (!countBlock(kernel, given, block)) recordFault(file, block)
    },
    parse(into) {
      const answer: ParseAnswer = { largest: into.indices.map(() => 0), anyNegative: false, skipped: [] }
      for (const block of takeBlocks(request.file, request.lines.length))
        if (!parseBlock(kernel, request, into, block, answer)) recordFault(request.file, block)
      return answer
    },
  }
}

/** A block in the kernel's memory. */
interface LoadedBlock {
  /** Start of the block in the kernel's text, behind a byte order mark. */
  start: number
  /** End of the block in the kernel's text. */
  end: number
  /** End of the text that was read. */
  textEnd: number
  /** Whether the text reaches the end of the file. */
  reachesEnd: boolean
}

/**
 * Reads a block into the kernel's text, with LEAD bytes before and SLACK bytes behind it; undefined if the
 * file has become shorter.
 */
function loadBlock(
  { text }: LineKernel,
  { fd, byteLength, blockBytes, ...range }: Blocks,
  block: number,
): LoadedBlock | undefined {
  const from = range.from + block * blockBytes
  const to = Math.min(range.to, from + blockBytes)
  const lead = from === 0 ? 0 : LEAD
  const length = Math.min(byteLength, to + SLACK) - from + lead
  const offset = LEAD - lead
  if (readFully(fd, text.subarray(offset, offset + length), from - lead) < length) return undefined
  let start = LEAD
  if (from === 0) {
    start += byteOrderMarkLength(text, LEAD)
    text[start - 1] = LF
  }
  const loaded = {
    start,
    end: LEAD + to - from,
    textEnd: offset + length,
    reachesEnd: to + SLACK >= byteLength,
  }
  if (loaded.reachesEnd) text[loaded.textEnd] = LF // the last line may have none
  return loaded
}

/**
 * Fills in the numbers of lines and entries of a block; false if it cannot be read or its last line is too
 * long.
 */
function countBlock(kernel: LineKernel, { file, lines, entries }: CountRequest, block: number): boolean {
  const loaded = loadBlock(kernel, file, block)
  if (!loaded) return false
  const { start, end, textEnd, reachesEnd } = loaded
  const { text } = kernel
  // Whether the last line is an entry shows behind its blanks, which may go on beyond the text.
  if (!reachesEnd && text.subarray(end, textEnd).every((c) => c === SPACE || c === TAB)) return false
  lines[block] = kernel.countLines(start, end)
  entries[block] = kernel.entryLines
  return true
}

/**
 * Parses a block, writes its entries to the columns and extends `answer`; false if a line is no valid entry,
 * or the entries are not as many as were counted.
 */
function parseBlock(
  kernel: LineKernel,
  { file, entries }: CountRequest,
  { before, indices, values }: ParseRequest,
  block: number,
  answer: ParseAnswer,
): boolean {
  const loaded = loadBlock(kernel, file, block)
  if (!loaded) return false
  const { text } = kernel
  const first = text.subarray(0, loaded.end - 1).indexOf(LF, loaded.start - 1) + 1
  if (first === 0) return entries[block] === 0
  const end = endOfLines(kernel, file, block, loaded)
  if (end === undefined) return false
  const skipped: number[] = []
  let found = 0
  for (let at = first; at < end; ) {
    const count = kernel.parse(at, end)
    if (found + count > entries[block]) return false
    const position = before[block] + found
    kernel.indices.forEach((column, mode) => {
      indices[mode].set(column.subarray(0, count), position)
      answer.largest[mode] = Math.max(answer.largest[mode], kernel.largest(mode, count))
    })
    if (count > 0 && values.length > 0) values.set(kernel.values.subarray(0, count), position)
    answer.anyNegative ||= kernel.anyNegative(count)
    found += count
    at = kernel.stop
    if (at >= end || count === kernel.capacity) continue
    const next = isEntryLine(text, at) ? undefined : endOfPlainLine(text, at)
    if (next === undefined) return false
    skipped.push(found)
    at = next
  }
  if (skipped.length > 0) answer.skipped.push({ block, before: Uint32Array.from(skipped) })
  return found === entries[block]
}

/**
 * Returns the end, in the kernel's text, of the last line that begins in a block, and reads more text if it
 * is needed; undefined if the line is longer than LONGEST_LINE or the file has become shorter.
 */
function endOfLines(
  { text }: LineKernel,
  file: Blocks,
  block: number,
  loaded: LoadedBlock,
): number | undefined {
  const { end, textEnd, reachesEnd } = loaded
  const from = text.lastIndexOf(LF, end - 2) + 1 // the last line that begins there
  let feed = text.subarray(0, textEnd).indexOf(LF, end - 1)
  if (feed < 0 && reachesEnd) feed = textEnd
  else if (feed < 0) {
    const position = file.from + block * file.blockBytes + textEnd - LEAD
    const more = Math.min(text.length - textEnd - 1, file.byteLength - position)
    const length = readFully(file.fd, text.subarray(textEnd, textEnd + more), position)
    if (length < more) return undefined
    const isLast = position + length === file.byteLength
    if (isLast) text[textEnd + length] = LF
    feed = text.subarray(0, textEnd + length + (isLast ? 1 : 0)).indexOf(LF, textEnd)
  }
  return feed < 0 || feed + 1 - from > LONGEST_LINE ? undefined : feed + 1
}
