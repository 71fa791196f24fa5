/** Zoom and pan of the Restore view's stage, without a browser. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  panBy,
  pinch,
  toPicture,
  toStage,
  type View,
  WHOLE,
  zoomAt,
} from '../../../packages/studio/src/restore/stage/viewport.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const position = fc.tuple(unit, unit)
const factor = fc.double({ min: 0.1, max: 10, noNaN: true })
/** A view that was reached by zooming and panning. */
const views = fc
  .tuple(factor, position, position)
  .map(([by, at, to]): View => panBy(zoomAt(WHOLE, by, at, 20), to[0] - 0.5, to[1] - 0.5))

describe('the view', () => {
  it('never shows anything beside the picture', () => {
    fc.assert(
      fc.property(views, factor, position, (view, by, at) => {
        for (const { scale, x, y } of [view, zoomAt(view, by, at, 20), panBy(view, at[0], -at[1])]) {
          expect(scale).toBeGreaterThanOrEqual(1)
          expect(scale).toBeLessThanOrEqual(20)
          for (const offset of [x, y]) {
            expect(offset).toBeLessThanOrEqual(0)
            expect(offset + scale).toBeGreaterThanOrEqual(1 - 1e-9)
          }
        }
      }),
    )
  })

  it('zooming in leaves the point under the pointer where it is', () => {
    fc.assert(
      fc.property(views, fc.double({ min: 1, max: 3, noNaN: true }), position, (view, by, at) => {
        const before = toPicture(view, at)
        const after = toPicture(zoomAt(view, by, at, 100), at)
        expect(after[0]).toBeCloseTo(before[0], 9)
        expect(after[1]).toBeCloseTo(before[1], 9)
      }),
    )
  })

  it('positions on the stage and in the picture are inverse', () => {
    fc.assert(
      fc.property(views, position, (view, at) => {
        const [u, v] = toStage(view, toPicture(view, at))
        expect(u).toBeCloseTo(at[0], 9)
        expect(v).toBeCloseTo(at[1], 9)
      }),
    )
  })

  it('two fingers that spread zoom in, and those that move together pan', () => {
    const apart = pinch(
      WHOLE,
      [
        [0.4, 0.5],
        [0.6, 0.5],
      ],
      [
        [0.3, 0.5],
        [0.7, 0.5],
      ],
      20,
    )
    expect(apart.scale).toBeCloseTo(2)
    const moved = pinch(
      apart,
      [
        [0.4, 0.5],
        [0.6, 0.5],
      ],
      [
        [0.5, 0.6],
        [0.7, 0.6],
      ],
      20,
    )
    expect(moved.scale).toBeCloseTo(2)
    expect(moved.x).toBeCloseTo(apart.x + 0.1)
    expect(moved.y).toBeCloseTo(apart.y + 0.1)
  })
})
