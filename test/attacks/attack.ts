/**
 * Broken inputs are made by rules: each is some files and the arguments of a command that must answer with
 * one sentence. Nothing of them is random; the name of a case leads back to it.
 */
export interface Attack {
  name: string
  /** By name, in an empty folder. */
  files: Record<string, string | Uint8Array>
  /** The command and its arguments; a name of `files` is given as its path. */
  args: string[]
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
export const json = (value: unknown): Uint8Array => utf8(JSON.stringify(value))

/** A case on each line; \n, \0 and the like are written out. */
export const lines = (text: TemplateStringsArray): string[] =>
  text.raw[0]
    .trim()
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/\\(n|r|t|0)/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? '\0'),
    )

/** The words of a command line, in single quotes where they hold blanks. */
export const words = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain)

/** So many places between the first and the last. */
const places = (length: number, many: number): number[] =>
  Array.from({ length: many }, (_, i) => Math.floor(((i + 0.5) * length) / many))

export const cuts = (bytes: Uint8Array, many: number): Uint8Array[] =>
  places(bytes.length, many).map((at) => bytes.slice(0, at))

export const flipped = (bytes: Uint8Array, at: number, mask = 0x55): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ mask : byte))

/** Attacks on a file, by each command in turn. */
export function inTurn(kind: string, commands: readonly string[]) {
  let n = 0
  return (name: string, file: string, content: string | Uint8Array, more = ''): Attack => ({
    name: `${kind} ${name}`,
    files: { [file]: content },
    args: words(`${commands[n++ % commands.length].replace('FILE', file)} ${more}`),
  })
}
