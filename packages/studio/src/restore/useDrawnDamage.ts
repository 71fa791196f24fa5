/** Hook: the mask of the damage, drawn by a worker, so that a moving slider never waits for it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Connection } from '../run/remote.ts'
import { useTheme } from '../theme.ts'
import { type Damage, damageName } from './edits/index.ts'
import type { DrawnDamage, PictureFunctions } from './worker/pictureWorker.ts'

/** The colours of holes in the light and in the dark theme. */
const holeColours = { light: [217, 214, 207], dark: [43, 48, 52] }

/** Drawn damage, and the damage that it shows. */
export interface Drawn extends DrawnDamage {
  damage: Damage
}

/**
 * Draws the damage when it changes. While the worker draws, later changes wait, and only the last one is drawn.
 * @param picture changes when another picture was opened
 * @param mayKeep whether there is a result, which edits leave
 * @param beforeShow called with the drawn damage, before it is shown
 */
export function useDrawnDamage(
  { call }: Connection<PictureFunctions>,
  picture: object,
  damage: Damage,
  mayKeep: () => boolean,
  beforeShow: (drawn: Drawn, keepRestored: boolean) => void,
  showError: (error: unknown) => void,
): { drawn: Drawn | undefined; redraw(): void } {
  const [drawn, setDrawn] = useState<Drawn>()
  const theme = useTheme()
  const latest = useRef({ picture, damage, theme, mayKeep, beforeShow, isDrawing: false, isWaiting: false })
  /** The last damage that was drawn of the picture. */
  const last = useRef<{ picture: object; damage: Damage }>(undefined)
  Object.assign(latest.current, { picture, damage, theme, mayKeep, beforeShow })

  async function draw(): Promise<void> {
    const now = latest.current
    if (now.isDrawing) {
      now.isWaiting = true
      return
    }
    now.isDrawing = true
    now.isWaiting = false
    const wanted = { picture: now.picture, damage: now.damage }
    try {
      // Edits leave what was restored; other random pixels do not.
      const keepRestored =
        last.current?.picture === wanted.picture &&
        (damageName(last.current.damage) === damageName(wanted.damage) ||
          (last.current.damage.kind !== 'pixels' && wanted.damage.kind !== 'pixels' && now.mayKeep()))
      const result = await call.draw(wanted.damage, holeColours[now.theme], keepRestored)
      if (wanted.picture === latest.current.picture) {
        last.current = wanted
        const next = { ...result, damage: wanted.damage }
        latest.current.beforeShow(next, keepRestored)
        setDrawn(next)
      }
    } catch (error) {
      showError(error)
    }
    now.isDrawing = false
    if (now.isWaiting) void draw()
  }
  const { kind, hidden, edits } = damage
  // The settings on which the mask depends, for each kind of damage.
  const inputs = kind === 'pixels' ? ['pixels', hidden] : ['edits', edits]
  useEffect(() => void draw(), [picture, theme, ...inputs])
  return { drawn, redraw: () => void draw() }
}
