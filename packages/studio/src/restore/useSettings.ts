/** Hook: the settings of the Restore view, which can be undone, and are stored in the URL. */
import { useEffect, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import {
  addFirstEdit,
  changeState,
  type Damage,
  type DamageKind,
  type Edit,
  type History,
  redo,
  startHistory,
  undo,
} from './edits/index.ts'
import type { Method } from './worker/restoreWorker.ts'

/** The settings that the user has chosen, to which undo returns. */
export interface Settings {
  damage: Damage
  method: Method
  rank: number
  lambda: number | 'auto'
}

/** The settings, and functions that change them. */
export interface SettingsControls {
  settings: Settings
  /**
   * Changes settings.
   * @param control names a control whose quick changes are one step of undo, such as a slider
   */
  change(changes: Partial<Omit<Settings, 'damage'>> & { damage?: Partial<Damage> }, control?: string): void
  undo(): void
  redo(): void
  canUndo: boolean
  canRedo: boolean
  /**
   * Begins with the settings of another picture, without anything to undo.
   * @param edits that are stored; without them, an example of the chosen kind
   */
  restart(edits: readonly Edit[] | undefined, given?: Readonly<Record<string, string | number>>): void
}

/** The rank of each method that is used by default. */
const ranks: Record<Method, number> = { patches: 24, plain: 50 }

/** Limits a percentage of hidden pixels: the URL may contain any number. */
const limitHidden = (percent: number): number => Math.min(95, Math.max(5, percent || 80))

/** λ from its text in the URL. */
const parseLambda = (text: string): number | 'auto' =>
  text === 'auto' ? 'auto' : Math.max(0, Number(text) || 0)

/** The settings of the Restore view. */
export function useSettings(): SettingsControls {
  const [kind, setKind] = useSetting<DamageKind>('restore', 'damage', 'pixels')
  const [hide, setHide] = useSetting<number>('restore', 'hide', 80)
  const [rank, setRank] = useSetting<number>('restore', 'rank', 24)
  const [method, setMethod] = useSetting<Method>('restore', 'method', 'patches')
  const [lambda, setLambda] = useSetting<string>('restore', 'lambda', 'auto')
  const [history, setHistory] = useState<History<Settings>>(() =>
    startHistory({
      damage: { kind, hidden: limitHidden(hide), edits: [] },
      ...{ method, rank, lambda: parseLambda(lambda) },
    }),
  )
  const { present, past, future } = history

  // The URL follows the settings.
  useEffect(() => {
    setKind(present.damage.kind)
    setHide(present.damage.hidden)
    setMethod(present.method)
    setRank(present.rank)
    setLambda(String(present.lambda))
  }, [present])

  return {
    settings: present,
    change({ damage, ...others }, control) {
      setHistory((before) => {
        const next: Settings = {
          ...before.present,
          ...(others.method && others.rank === undefined ? { rank: ranks[others.method] } : {}),
          ...others,
          damage: { ...before.present.damage, ...damage },
        }
        return changeState(before, next, control, performance.now())
      })
    },
    undo: () => setHistory(undo),
    redo: () => setHistory(redo),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    restart(stored, given = {}) {
      setHistory(({ present: { damage, ...others } }) => {
        const chosen = (given.method as Method | undefined) ?? others.method
        const kind = (given.damage as DamageKind | undefined) ?? damage.kind
        return startHistory<Settings>({
          method: chosen,
          rank: Number(given.rank ?? others.rank),
          lambda: given.lambda === undefined ? others.lambda : parseLambda(String(given.lambda)),
          damage: {
            kind,
            hidden: given.hide === undefined ? damage.hidden : limitHidden(Number(given.hide)),
            edits: stored ?? addFirstEdit(kind, []),
          },
        })
      })
    },
  }
}
