/** The ranking that a user probably asks of a model first: which items are best for whom. */
import type { ModelMode } from '../../protocol.ts'

/** A mode whose rows are ranked, and the mode of the row that they are ranked for. */
export interface DefaultQuestion {
  ranked: number
  asked: number
}

/**
 * Chooses the ranking that is shown first. If two modes are not of times, the second is ranked for a row of the
 * first, as `lacuna complete` proposes: tables list users before films. A single such mode is ranked for a
 * time. If all modes are of times, the one with most rows is ranked.
 */
export function defaultQuestion(modes: readonly Pick<ModelMode, 'size' | 'isTime'>[]): DefaultQuestion {
  const [first, second] = Array.from(modes.keys()).filter((mode) => !modes[mode].isTime)
  if (second !== undefined) return { ranked: second, asked: first }
  const others = Array.from(modes.keys())
    .filter((mode) => mode !== first)
    .sort((a, b) => modes[b].size - modes[a].size)
  const order = first === undefined ? others : [first, ...others]
  return { ranked: order[0], asked: order[1] ?? order[0] }
}

/**
 * Chooses the mode of a row of the user's own (`asked`), and the mode along which its values are given (`ranked`): as
 * `defaultQuestion` does, but a single mode that is not of times has the new row, whose values are given for times.
 */
export function ownRowQuestion(modes: readonly Pick<ModelMode, 'size' | 'isTime'>[]): DefaultQuestion {
  const { ranked, asked } = defaultQuestion(modes)
  return modes[asked].isTime && !modes[ranked].isTime ? { ranked: asked, asked: ranked } : { ranked, asked }
}
