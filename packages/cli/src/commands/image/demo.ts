/** `lacuna demo`: draws a picture, hides most of its pixels and restores them. */
import { isAbsolute, relative } from 'node:path'
import { Command } from 'commander'
import { hideAtRandom, type Picture, quality, restore, writePng } from 'lacuna/image'
import { blacken, checkOutput, drawFacade, hardwareThreads, sideBySide } from 'lacuna/internal'
import { positiveWholeNumber } from '../../options/arguments.ts'
import { formatCount, formatSeconds } from '../../print/format.ts'
import { print } from '../../print/print.ts'
import { painter, startProgress } from '../../print/terminal.ts'
import { invocation } from '../../process/invocation.ts'
import { epochFormatter } from '../complete/report/epochFormatter.ts'

/** Fraction of the pixels that is hidden. */
const MISSING = 0.85
/** File of the drawn picture, in the current folder. */
const PICTURE = 'lacuna-demo-original.png'
/** File of the original, damaged and restored pictures side by side, in the current folder. */
const BEFORE_AFTER = 'lacuna-demo.png'

/** Creates the command `demo`. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(`Draws a picture, hides ${100 * MISSING}% of its pixels and restores them.`)
    .option('--threads <n>', 'worker threads', positiveWholeNumber, hardwareThreads())
    .option(
      '--width <pixels>',
      'of the picture; its height is three quarters of it',
      positiveWholeNumber,
      640,
    )
    .action(runDemo)
}

/** Runs `lacuna demo`, and prints the quality of the restoration and commands to try next. */
async function runDemo({ threads, width }: { threads: number; width: number }): Promise<void> {
  const progress = startProgress(false)
  const { bold, dim } = painter(process.stdout)
  for (const path of [PICTURE, BEFORE_AFTER]) await checkOutput(path)
  progress.update('Drawing a picture …')
  const picture = drawFacade(width, Math.ceil(0.75 * width))
  const known = hideAtRandom(picture, { share: MISSING, seed: 1 })
  progress.say(
    `A picture of ${picture.width}×${picture.height} pixels, drawn for this demo; ${100 * MISSING}% of them are hidden, and restored.`,
  )

  const begin = performance.now()
  const remaining = blacken(picture, known)
  const { picture: restored } = await restore(picture, known, {
    ...{ threads, seed: 1 },
    onEpoch: (stage, report) =>
      progress.update(
        `model ${stage.stage}/${stage.stages} of ${formatCount(stage.dims[0])} patches  ${epochFormatter(stage)(report)}`,
      ),
  })
  progress.end()
  const elapsed = (performance.now() - begin) / 1000
  await writePng(PICTURE, picture)
  await writePng(BEFORE_AFTER, sideBySide([picture, remaining, restored]))

  const lacuna = invocation(process.argv[0], process.argv[1]).map(relativePath).join(' ')
  const decibels = (result: Picture): string => `${quality(picture, result, known).psnr.toFixed(1)} dB`
  await print(
    [
      `\n${bold(`Restored in ${formatSeconds(elapsed)}: PSNR ${decibels(restored)} on the hidden pixels`)} (left black: ${decibels(remaining)})`,
      `See ${bold(BEFORE_AFTER)}: the original, what was left of it, and what was made of that.`,
      dim('\nNext:'),
      `  ${lacuna} image ${PICTURE} --missing 0.95 -o restored.png --compare compared.png`,
      `  ${lacuna} image ${PICTURE} --paper --epochs 50 -o paper.png     the paper's own setting`,
      `  ${lacuna} --help                                   ratings, counts, readings: any tensor`,
    ].join('\n'),
  )
}

/** Returns an absolute path below the current folder as a relative one, and any other word unchanged. */
const relativePath = (word: string): string => {
  const path = relative('.', word)
  return isAbsolute(word) && !path.startsWith('..') ? path : word
}
