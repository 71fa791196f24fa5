/** Undo and redo, edits and masks of the Restore view, without a browser. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkMaskSize, paint } from '../../../packages/studio/src/restore/damage.ts'
import {
  addEdit,
  addFirstEdit,
  damageName,
  type Edit,
  nextSeed,
} from '../../../packages/studio/src/restore/edits/edits.ts'
import {
  changeState,
  type History,
  redo,
  startHistory,
  undo,
} from '../../../packages/studio/src/restore/edits/history.ts'

describe('history', () => {
  const steps = fc.array(fc.oneof(fc.constant('undo'), fc.constant('redo'), fc.integer()), { maxLength: 40 })

  it('undo and redo return to every state, whatever was done before', () => {
    fc.assert(
      fc.property(steps, (list) => {
        // The model: a list of states and the position in it.
        let [states, at] = [[0], 0]
        let history: History<number> = startHistory(0)
        for (const step of list) {
          if (step === 'undo') {
            at = Math.max(0, at - 1)
            history = undo(history)
          } else if (step === 'redo') {
            at = Math.min(states.length - 1, at + 1)
            history = redo(history)
          } else {
            states = [...states.slice(0, ++at), Number(step)]
            history = changeState(history, Number(step))
          }
          expect(history.present).toBe(states[at])
          expect(history.past).toEqual(states.slice(0, at))
          expect(history.future).toEqual(states.slice(at + 1))
        }
      }),
    )
  })

  it('a slider that is moved is one step, until it rests or another control is used', () => {
    let history = startHistory(80)
    for (const [n, value] of [75, 70, 65].entries()) history = changeState(history, value, 'hidden', 100 * n)
    expect(undo(history).present).toBe(80)
    history = changeState(history, 60, 'hidden', 5000)
    expect(undo(history).present).toBe(65)
    history = changeState(history, 24, 'rank', 5100)
    expect(undo(history).present).toBe(60)
    // After undo, the same slider begins another step.
    history = changeState(undo(history), 40, 'hidden', 5200)
    expect(undo(history).present).toBe(60)
  })
})

describe('edits', () => {
  const stroke: Edit = { type: 'stroke', points: [[1, 2]], diameter: 4, erase: false }

  it('there is one text, and scratches are other ones each time', () => {
    const edits = addEdit(addEdit(addEdit([], { type: 'text', text: 'a' }), stroke), {
      type: 'text',
      text: 'ab',
    })
    expect(edits).toEqual([{ type: 'text', text: 'ab' }, stroke])
    expect(nextSeed(addEdit([], { type: 'scratches', seed: nextSeed([]) }))).toBe(2)
  })

  it('a chosen kind without edits begins with an example of it', () => {
    expect(addFirstEdit('scratches', [stroke])).toEqual([stroke, { type: 'scratches', seed: 1 }])
    const [text] = addFirstEdit('text', [])
    expect(text.type).toBe('text')
    expect(addFirstEdit('text', [text])).toEqual([text])
    expect(addFirstEdit('brush', [])).toEqual([])
  })

  it('are named by what is lost: equal damage has an equal name, whatever the other kind’s settings', () => {
    const name = (kind: 'pixels' | 'brush' | 'text', hidden: number, edits: readonly Edit[]): string =>
      damageName({ kind, hidden, edits })
    expect(name('brush', 80, [stroke])).toBe(name('text', 70, [stroke]))
    expect(name('brush', 80, [stroke])).not.toBe(name('brush', 80, [{ ...stroke, erase: true }]))
    expect(name('pixels', 80, [stroke])).toBe(name('pixels', 80, []))
    expect(name('pixels', 80, [])).not.toBe(name('pixels', 75, []))
    const mask = (first: number): Edit => ({ type: 'mask', name: 'm', mask: Uint8Array.of(first, 0) })
    expect(name('brush', 80, [mask(0)])).not.toBe(name('brush', 80, [mask(1)]))
  })

  it('the eraser takes a stroke back', () => {
    const mask = new Uint8Array(20 * 20)
    paint(mask, [20, 20], [3, 10], [16, 10], 6)
    expect(mask[10 * 20 + 10]).toBe(1)
    paint(mask, [20, 20], [10, 3], [10, 16], 4, 0)
    expect(mask[10 * 20 + 10]).toBe(0)
    expect(mask[10 * 20 + 4]).toBe(1)
  })
})

it('a mask of another size is refused, with both sizes', () => {
  expect(() => checkMaskSize('m.png', [300, 300], [400, 300])).toThrow(
    'm.png is 300 × 300, but the picture is 400 × 300; a mask must have its size.',
  )
  // A portrait has as many pixels as a landscape.
  expect(() => checkMaskSize('m.png', [300, 400], [400, 300])).toThrow('300 × 400')
  checkMaskSize('m.png', [400, 300], [400, 300])
  // The picture was reduced: a mask of the file's size fits.
  checkMaskSize('m.png', [8000, 6000], [4729, 3547], [8000, 6000])
})
