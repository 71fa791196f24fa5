/** Makes pictures for comparison: with holes painted black, and several side by side. */
import { checkSameSize, emptyData, type Known, type Picture } from './picture.ts'

/** Returns a copy of the picture with its holes in black. */
export function blacken(picture: Picture, known: Known): Picture {
  const data = emptyData(picture)
  for (let at = 0; at < data.length; at++) data[at] = known[at] ? picture.data[at] : 0
  return { ...picture, data }
}

/** Joins pictures of one size in a row, with a thin white gap between them; throws if the sizes differ. */
export function sideBySide(panels: readonly Picture[]): Picture {
  const [{ width, height, channels, maximum }] = panels
  for (const panel of panels) checkSameSize(panels[0], panel, 'A panel')
  const gap = Math.max(2, Math.round(width / 100))
  const whole = { width: panels.length * (width + gap) - gap, height, channels, maximum }
  const data = emptyData(whole).fill(maximum)
  for (const [n, panel] of panels.entries())
    for (let i = 0; i < height; i++) {
      const line = panel.data.subarray(i * width * channels, (i + 1) * width * channels)
      const scale = maximum / panel.maximum
      data.set(
        scale === 1 ? line : line.map((value) => value * scale),
        (i * whole.width + n * (width + gap)) * channels,
      )
    }
  return { ...whole, data }
}
