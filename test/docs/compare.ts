/** Compares what an example prints with what its page shows below it. */

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim()

/**
 * Returns the first part of the shown text that is not in the printed one; undefined if all is. White space does not
 * count, since pages wrap lines and narrow columns; … stands for any text. Parts may come in another order: a
 * terminal mixes two streams.
 */
export function firstMissing(shown: string, printed: string): string | undefined {
  const all = collapse(printed)
  return shown
    .split('…')
    .map(collapse)
    .find((piece) => !all.includes(piece))
}

/**
 * Makes a program of a TypeScript block: statements that it takes for granted come first, and each
 * `expression // value` of the block is compared with that value.
 */
export const programOf = (block: string, before = ''): string =>
  `${before}\n${block.replace(
    /^(?!import |const |let |for |await run|\/\/)(?:console\.log\((.*)\)|(\S.*?)) \/\/ ((?:[[{'"-]|\d[\d.]*$).*)$/gm,
    (_, logged, plain, value) => `globalThis.compareShown(${logged ?? plain}, ${JSON.stringify(value)})`,
  )}\n`
