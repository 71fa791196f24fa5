/** Broken pictures, and options that do not go with one. */
import { type Attack, cuts, flipped, lines, words } from './attack.ts'

const BAD_PICTURE_OPTIONS = lines`
  --missing 2
  --missing -1
  --missing x
  --rank 0
  --epochs 0
  --lambda much
  --mask none.png
  --mask good.png --missing 0.5
  --hole-colour red
  --truth good.png
  --damaged x.jpg
  --paper --plain
  --compare no/where.png
  --threads 0
  --seed 1.5`

export function* imageAttacks(png: Uint8Array): Generator<Attack> {
  const attack = (name: string, content: string | Uint8Array, more = ''): Attack => ({
    name: `image ${name}`,
    files: { 'a.png': content, 'good.png': png },
    args: words(`image a.png -o out.png --epochs 1 ${more}`),
  })
  for (const [i, cut] of cuts(png, 20).entries()) yield attack(`cut ${i}`, cut)
  for (const at of [0, 3, 17, 18, 25]) yield attack(`flipped at ${at}`, flipped(png, at, 0xff))
  for (const text of [
    '',
    'no picture',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'GIF89a',
    '%PDF-1.4',
    'BM',
  ])
    yield attack(JSON.stringify(text), text)
  for (const more of BAD_PICTURE_OPTIONS) yield attack(more, png, more)
}
