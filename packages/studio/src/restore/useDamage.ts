import { useMemo, useRef, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import { forget, keep } from '../storage.ts'
import type { DamageKind, DamagePanelProps } from './DamagePanel.tsx'
import {
  damaged,
  lostAtRandom,
  lostShare,
  type Mask,
  maskFrom,
  type Point,
  paint,
  type Size,
  scratches,
  union,
  writing,
} from './damage.ts'

const SEED = 1

export interface Damage {
  kind: DamageKind
  mask: Mask
  /** The picture with its holes. */
  holes: ImageData
  /** The share of the picture that is lost. */
  lost: number
  /** Names the damage, so that a result can be told from that of another one. */
  name: string
  panel: DamagePanelProps
  brush: { diameter: number; onStroke(from: Point, to: Point): void; onEnd(): void }
  /** Takes all of it back; or begins with what was drawn before a reload. */
  reset(drawn?: Mask): void
}

/** How a picture is damaged: what was chosen, drawn and written, and what comes of it. */
export function useDamage(
  image: ImageData,
  onChange: () => void,
  complain: (error: unknown) => void,
): Damage {
  const [kind, setKind] = useSetting<DamageKind>('restore', 'damage', 'pixels')
  const [hiddenGiven, setHidden] = useSetting<number>('restore', 'hide', 80)
  const hidden = Math.min(95, Math.max(5, hiddenGiven)) // a URL may say anything
  const [diameter, setDiameter] = useSetting<number>('restore', 'brush', 24)
  const [text, setText] = useSetting<string>('restore', 'text', 'What is missing can be found')
  /** Painted, scratched and masked … */
  const [drawn, setDrawn] = useState<Mask>()
  /** … and written over: it changes with every letter. */
  const [lettering, setLettering] = useState<Mask>()
  const painted = useRef<Mask>(undefined)
  const scratched = useRef(0)

  const size: Size = [image.width, image.height]
  const mask = useMemo(
    () =>
      kind === 'pixels'
        ? lostAtRandom(size, hidden / 100, SEED)
        : (union(drawn, lettering) ?? new Uint8Array(size[0] * size[1])),
    [image, kind, hidden, drawn, lettering],
  )
  const holes = useMemo(() => damaged(image, mask), [image, mask])
  const lost = useMemo(() => lostShare(mask), [mask])

  function change(next: { drawn?: Mask; lettering?: Mask }): void {
    onChange()
    setDrawn(next.drawn)
    setLettering(next.lettering)
    const all = union(next.drawn, next.lettering)
    void (all ? keep('restore.drawn', all) : forget('restore.drawn'))
  }
  const add = (more: Mask): void => change({ drawn: union(drawn, more), lettering })
  const scratch = (): void => add(scratches(size, ++scratched.current))

  return {
    ...{ kind, mask, holes, lost },
    name: [...size, kind, kind === 'pixels' ? hidden : lost].join(' '),
    panel: {
      ...{ kind, hidden, text, lost, brush: diameter, onBrush: setDiameter, onScratch: scratch },
      onKind(next) {
        onChange()
        setKind(next)
        // A first look at what it does.
        if (next === 'text' && !lettering) change({ drawn, lettering: writing(size, text) })
        if (next === 'scratches' && !drawn) scratch()
      },
      onHidden(percent) {
        onChange()
        setHidden(percent)
      },
      onText(next) {
        setText(next)
        change({ drawn, lettering: writing(size, next) })
      },
      onMask(file) {
        maskFrom(file, size).then(add, () =>
          complain(new Error(`${file.name} is no picture that this browser can open; give a PNG or JPEG.`)),
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
