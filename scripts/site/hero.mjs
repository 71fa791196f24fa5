// Draws the two pictures of the home page that stand there until the library is loaded: the matrix of site/live with hidden
// cells, and what the library makes of it.
// @ts-check
import { join } from 'node:path'
import { writePng } from '#lacuna/image.js'
import { complete, tensorFromArray } from '#lacuna/index.js'
import { colourOf, hideCells, SIZE, wholeMatrix } from '../../site/live/matrix.js'

/** Hidden cells, as the slider begins with. */
const FRACTION = 0.8

/** Writes before.png and after.png. @param {string} folder */
export async function drawHero(folder) {
  const cells = hideCells(wholeMatrix(), FRACTION, 1)
  const { model } = await complete(tensorFromArray(cells), { rank: 6 })
  /** @type {[string, (number | null)[]][]} */
  const pictures = [
    ['before', cells.flat()],
    ['after', Array.from(model.slice([null, null]).values)],
  ]
  for (const [name, values] of pictures) {
    const [height, width] = SIZE
    const data = Uint8Array.from(values.flatMap((value) => colourOf(value).map(Math.round)))
    await writePng(join(folder, `${name}.png`), { width, height, channels: 3, maximum: 255, data })
  }
}
