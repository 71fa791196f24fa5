/** The command line that does what the Restore view did. */

/** The settings that a run depends on. */
interface Setting {
  /** The name of the picture's file. */
  name: string
  damage: { kind: string; hidden: number }
  method: 'patches' | 'plain'
  rank: number
  lambda: number | 'auto'
}

/** The name of a file without its ending. */
export const stemOf = (name: string): string => name.replace(/\.\w+$/, '')

/** Quotes a word for a POSIX shell if it needs it. */
const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/**
 * Returns the command that restores the same picture with the same settings. Damage that was drawn is a mask file,
 * which the page saves.
 */
export function imageCommand({ name, damage, method, rank, lambda }: Setting): string {
  const stem = stemOf(name)
  const holes =
    damage.kind === 'pixels'
      ? ['--missing', String(damage.hidden / 100)]
      : ['--mask', quote(`${stem}-mask.png`)]
  return [
    ...['lacuna', 'image', quote(name), ...holes],
    ...(method === 'plain' ? ['--plain'] : []),
    ...(rank === (method === 'plain' ? 50 : 24) ? [] : ['--rank', String(rank)]),
    ...(lambda === 'auto' ? [] : ['--lambda', String(lambda)]),
    ...['-o', quote(`${stem}-restored.png`)],
  ].join(' ')
}
