// Which lines of a .tns text are entries. Mirrors io/text/entryLines.ts; a test compares the two on random
// lines.
const TAB: u32 = 9;
const LF: u32 = 10;
const CR: u32 = 13;
const SPACE: u32 = 32;
const HASH: u32 = 35;
const PERCENT: u32 = 37;

/**
 * Whether the line that begins at an address is an entry: neither blank nor a comment (#, %), after blanks.
 */
export function isEntryLine(line: usize): bool {
  let at = line;
  let c = <u32>load<u8>(at);
  while (c == SPACE || c == TAB) c = load<u8>(++at);
  return c != LF && c != CR && c != HASH && c != PERCENT;
}
