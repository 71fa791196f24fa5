/** Hook: the damage of a picture, as the user chooses and draws it. */
import { useMemo, useRef, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import { removeValues, storeValue } from '../storage.ts'
import type { DamageKind, DamagePanelProps } from './DamagePanel.tsx'
import {
  applyMask,
  drawScratches,
  hidePixels,
  lostFraction,
  type Mask,
  type Point,
  paint,
  readMask,
  type Size,
  uniteMasks,
  writeText,
} from './damage.ts'

/** The seed of pixels hidden at random. */
const SEED = 1

/** The current damage, and the controls that change it. */
export interface Damage {
  kind: DamageKind
  mask: Mask
  /** The picture with transparent holes. */
  holes: ImageData
  /** The fraction of the picture that is lost. */
  lost: number
  /** Identifies the damage, so that a stored result is only shown with the damage that it belongs to. */
  name: string
  /** Properties of DamagePanel. */
  panel: DamagePanelProps
  /** Properties of the brush on the Stage. */
  brush: { diameter: number; onStroke(from: Point, to: Point): void; onEnd(): void }
  /** Removes all drawn damage, or restores what was drawn before a reload. */
  reset(drawn?: Mask): void
}

/**
 * The damage of a picture: its kind and settings are stored in the URL, what was drawn in the browser.
 * @param onChange called before the damage changes
 */
export function useDamage(
  image: ImageData,
  onChange: () => void,
  showError: (error: unknown) => void,
): Damage {
  const [kind, setKind] = useSetting<DamageKind>('restore', 'damage', 'pixels')
  const [hiddenGiven, setHidden] = useSetting<number>('restore', 'hide', 80)
  const hidden = Math.min(95, Math.max(5, hiddenGiven)) // the URL may contain any number
  const [diameter, setDiameter] = useSetting<number>('restore', 'brush', 24)
  const [text, setText] = useSetting<string>('restore', 'text', 'What is missing can be found')
  /** Pixels that were painted, scratched or masked. */
  const [drawn, setDrawn] = useState<Mask>()
  /** Pixels under the text; apart from the others, since it changes with every letter. */
  const [lettering, setLettering] = useState<Mask>()
  /** The mask during a brush stroke. */
  const painted = useRef<Mask>(undefined)
  /** The number of times that the user added scratches: their seed. */
  const scratchings = useRef(0)

  const size: Size = [image.width, image.height]
  const mask = useMemo(
    () =>
      kind === 'pixels'
        ? hidePixels(size, hidden / 100, SEED)
        : (uniteMasks(drawn, lettering) ?? new Uint8Array(size[0] * size[1])),
    [image, kind, hidden, drawn, lettering],
  )
  const holes = useMemo(() => applyMask(image, mask), [image, mask])
  const lost = useMemo(() => lostFraction(mask), [mask])

  /** Replaces the drawn damage, and stores it in the browser. */
  function change(next: { drawn?: Mask; lettering?: Mask }): void {
    onChange()
    setDrawn(next.drawn)
    setLettering(next.lettering)
    const all = uniteMasks(next.drawn, next.lettering)
    void (all ? storeValue('restore.drawn', all) : removeValues('restore.drawn'))
  }
  /** Adds a mask to the drawn damage. */
  const add = (more: Mask): void => change({ drawn: uniteMasks(drawn, more), lettering })
  /** Adds other scratches than before to the drawn damage. */
  const scratch = (): void => add(drawScratches(size, ++scratchings.current))

  return {
    ...{ kind, mask, holes, lost },
    name: [...size, kind, kind === 'pixels' ? hidden : lost].join(' '),
    panel: {
      ...{ kind, hidden, text, lost, brush: diameter, onBrush: setDiameter, onScratch: scratch },
      onKind(next) {
        onChange()
        setKind(next)
        // The first choice of a kind shows an example of it.
        if (next === 'text' && !lettering) change({ drawn, lettering: writeText(size, text) })
        if (next === 'scratches' && !drawn) scratch()
      },
      onHidden(percent) {
        onChange()
        setHidden(percent)
      },
      onText(next) {
        setText(next)
        change({ drawn, lettering: writeText(size, next) })
      },
      onMask(file) {
        readMask(file, size).then(add, () =>
          showError(new Error(`${file.name} is no picture that this browser can open; give a PNG or JPEG.`)),
        )
      },
      onClear: () => change({}),
    },
    brush: {
      diameter,
      onStroke(from, to) {
        painted.current ??= drawn?.slice() ?? new Uint8Array(size[0] * size[1])
        paint(painted.current, size, from, to, diameter)
      },
      onEnd() {
        change({ drawn: painted.current, lettering })
        painted.current = undefined
      },
    },
    reset(before) {
      if (before?.length === size[0] * size[1]) setDrawn(before)
      else change({})
    },
  }
}
