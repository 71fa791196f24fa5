/**
 * `lacuna image`: restores a damaged picture, or hides pixels of one and measures how well they come back.
 */
import { Command } from 'commander'
import { InputError } from 'lacuna'
import {
  hideAtRandom,
  holesOfAlpha,
  holesOfColour,
  holesOfMask,
  type Known,
  type Picture,
  type Quality,
  quality,
  type Restoration,
  type RestoreOptions,
  readImage,
  restore,
} from 'lacuna/image'
import {
  blacken,
  checkOutputs,
  checkSameSize,
  countHidden,
  type PngFile,
  paperSettings,
  sideBySide,
  writePngs,
} from 'lacuna/internal'
import {
  decimalNumber,
  numberOrAuto,
  positiveWholeNumber,
  threadsOption,
  wholeNumber,
} from '../../options/arguments.ts'
import { formatCount, formatNumber, formatSeconds } from '../../print/format.ts'
import { print, printJson } from '../../print/print.ts'
import { type Progress, startProgress } from '../../print/terminal.ts'
import { withSignals } from '../../process/signals.ts'
import { epochFormatter } from '../complete/report/epochFormatter.ts'

/** Options of `lacuna image`, as parsed from the command line; the help describes each. */
interface Options {
  missing?: number
  perChannel?: boolean
  mask?: string
  holeColour?: string
  truth?: string
  paper?: boolean
  plain?: boolean
  rank?: number
  lambda?: number | 'auto'
  epochs?: number
  seed: number
  threads: number
  replaceKnown?: boolean
  output: string
  damaged?: string
  compare?: string
  json?: boolean
  quiet?: boolean
}

/** Creates the command `image`. */
export function imageCommand(): Command {
  return new Command('image')
    .description(
      'Restores a picture: fills its holes, or hides most of its pixels and shows how well they come back.',
    )
    .argument('<file>', 'PNG, JPEG, WebP, TIFF or AVIF; grey or colour, 8 or 16 bits')
    .requiredOption('-o, --output <file>', 'where to write the restored picture (.png)')
    .option(
      '--missing <fraction>',
      'hide this fraction of the pixels at random (default: 0.9, if there are no holes)',
      decimalNumber,
    )
    .option('--per-channel', 'hide single values of red, green and blue, not whole pixels')
    .option('--mask <file>', 'a picture of the same size, white where the holes are')
    .option('--hole-colour <rrggbb>', 'pixels of exactly this colour are holes')
    .option('--truth <file>', 'the undamaged picture, to compare with')
    .option(
      '--paper',
      "the paper's setting: row × column × channel, R = 50, c = 0.02, 500 epochs of its own solver",
    )
    .option('--plain', 'row × column × channel with the fast solver, without patches')
    .option('--rank <r>', 'number of components (default: 24; paper and plain: 50)', positiveWholeNumber)
    .option('--lambda <l>', 'weight of the squared factors, for values between 0 and 1', numberOrAuto)
    .option(
      '--epochs <e>',
      'stop each model after this many passes (default: 10; paper: 500)',
      positiveWholeNumber,
    )
    .option('--seed <s>', 'decides what is hidden and how it is learned', wholeNumber, 1)
    .option(...threadsOption)
    .option(
      '--replace-known',
      "write the model's values at known pixels too; by default they are kept as they are",
    )
    .option('--damaged <file>', 'also write what was left, its holes transparent (.png)')
    .option('--compare <file>', 'also write original, damaged and restored side by side (.png)')
    .option('--json', 'print one JSON object')
    .option('-q, --quiet', 'no progress')
    .addHelpText(
      'after',
      `
A picture with transparent pixels, a --mask or a --hole-colour has its holes filled. Any other has 90% of its pixels
hidden, and the error on them is printed.

Examples:
  lacuna image photo.jpg -o restored.png --compare before-after.png
  lacuna image photo.jpg --missing 0.7 --per-channel -o restored.png --damaged left.png
  lacuna image scratched.png --mask scratches.png -o repaired.png
  lacuna image photo.jpg --paper -o paper.png                      the paper's experiment

Ctrl-C ends the work and writes the picture as far as it has come.`,
    )
    .action(runImage)
}

/** Runs `lacuna image`: finds or hides pixels, restores them, writes the pictures and prints the report. */
async function runImage(file: string, options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const outputs = [options.output, options.damaged, options.compare]
  for (const path of outputs) if (path) checkPicturePath(path)
  await checkOutputs(outputs, [file, options.mask, options.truth])
  const { picture, alpha } = await readImage(file)
  const { known, original } = await findHoles(file, picture, alpha, options)
  const hidden = countHidden(known)
  progress.say(
    `${file}: ${picture.width}×${picture.height}, ${picture.channels === 1 ? 'grey' : 'colour'}, ${picture.maximum === 255 ? 8 : 16} bits; ${formatNumber((100 * hidden) / known.length)}% of the ${options.perChannel ? 'values' : 'pixels'} are ${original && !options.truth ? 'hidden' : 'missing'}`,
  )

  await withSignals(async ({ signal, protect, outcome }) => {
    const begin = performance.now()
    const result = await restoreWithProgress(picture, known, options, signal, progress)
    const elapsed = (performance.now() - begin) / 1000
    const measured = original && quality(original, result.picture, known)
    await protect(() => writePictures(picture, known, original, result, options))
    if (options.json) await printJson(jsonReport(picture, hidden, result, measured, elapsed, options))
    else await print(formatReport(result, measured, elapsed, options))
    if (result.aborted) throw outcome()
  })
}

/** Restores the hidden pixels, and prints each model and the progress of its epochs. */
async function restoreWithProgress(
  picture: Picture,
  known: Known,
  options: Options,
  signal: AbortSignal,
  progress: Progress,
): Promise<Restoration> {
  let formatEpoch: ReturnType<typeof epochFormatter> | undefined
  let shown = 0
  const result = await restore(picture, known, {
    ...restoreOptions(options),
    signal,
    onEpoch: (stage, report) => {
      if (stage.stage !== shown) {
        shown = stage.stage
        progress.say(
          `Model ${stage.stage} of ${stage.stages}: ${stage.dims.join('×')}, ${formatCount(stage.entries)} entries, rank ${stage.rank}`,
        )
        formatEpoch = epochFormatter(stage)
      }
      progress.update(formatEpoch!(report))
    },
  })
  progress.end()
  return result
}

/** Writes the restored picture and, if asked for, the damaged one and all side by side. */
async function writePictures(
  picture: Picture,
  known: Known,
  original: Picture | undefined,
  { picture: restored }: Restoration,
  { output, damaged, compare }: Options,
): Promise<void> {
  const remaining = blacken(picture, known)
  const files: PngFile[] = [{ path: output, picture: restored }]
  if (damaged) files.push({ path: damaged, picture: remaining, alpha: alphaOf(known, picture.channels) })
  if (compare)
    files.push({ path: compare, picture: sideBySide([...(original ? [original] : []), remaining, restored]) })
  await writePngs(files)
}

/** Throws if the path does not end in .png. */
function checkPicturePath(path: string): void {
  if (!/\.png$/i.test(path))
    throw new InputError('option', `${path}: pictures are written as PNG; let the name end in .png.`)
}

/**
 * Finds the holes of the picture by mask, colour or transparency, or else hides pixels at random. Throws for
 * contradicting options, and if the mask or colour marks no pixel.
 * @returns the valid mask, and the undamaged picture if it is known
 */
async function findHoles(
  file: string,
  picture: Picture,
  alpha: ArrayLike<number> | undefined,
  { missing, perChannel, mask, holeColour, truth, seed }: Options,
): Promise<{ known: Known; original?: Picture }> {
  const ways = [mask && '--mask', holeColour && '--hole-colour', missing !== undefined && '--missing'].filter(
    Boolean,
  )
  if (ways.length > 1)
    throw new InputError(
      'option',
      `${ways.join(' and ')} do not go together: choose one way to say what is missing.`,
    )
  const known = mask
    ? holesOfMask(picture, (await readImage(mask)).picture)
    : holeColour
      ? holesOfColour(picture, holeColour)
      : alpha && missing === undefined
        ? holesOfAlpha(alpha, picture.channels)
        : undefined
  if (known) {
    if (perChannel)
      throw new InputError('option', '--per-channel is for hiding at random; these holes are whole pixels.')
    if (countHidden(known) === 0)
      throw new InputError(
        'empty',
        `${file}: nothing is missing by ${mask ? `the mask ${mask}` : `the colour ${holeColour}`}.`,
      )
    if (!truth) return { known }
    const original = (await readImage(truth)).picture
    checkSameSize(picture, original, truth)
    return { known, original }
  }
  if (truth)
    throw new InputError(
      'option',
      '--truth is for pictures with holes; where pixels are hidden the truth is known.',
    )
  return { known: hideAtRandom(picture, { share: missing ?? 0.9, perChannel, seed }), original: picture }
}

/** Builds the options of restore: those of the paper, of plain or of patches, with the given ones on top. */
function restoreOptions({
  paper,
  plain,
  rank,
  lambda,
  epochs,
  seed,
  threads,
  replaceKnown,
}: Options): RestoreOptions {
  if (paper && plain) throw new InputError('option', '--paper and --plain do not go together.')
  const given = Object.entries({ rank, lambda, epochs }).filter(([, value]) => value !== undefined)
  return {
    ...(paper ? paperSettings : plain ? { method: 'plain' } : {}),
    ...Object.fromEntries(given),
    seed,
    threads,
    replaceKnown,
  }
}

/** Builds an alpha channel from a valid mask: 1 at pixels of which any channel is known, else 0. */
function alphaOf(known: Known, channels: number): Uint8Array {
  return Uint8Array.from({ length: known.length / channels }, (_, p) =>
    known.subarray(p * channels, (p + 1) * channels).includes(1) ? 1 : 0,
  )
}

/** Builds the report of --json. @param measured quality on the hidden values, if the truth is known */
function jsonReport(
  picture: Picture,
  hidden: number,
  result: Restoration,
  measured: Quality | undefined,
  elapsed: number,
  options: Options,
): object {
  const { width, height, channels, maximum } = picture
  return {
    picture: { width, height, channels, maximum },
    hidden,
    seed: options.seed,
    setting: options.paper ? 'paper' : options.plain ? 'plain' : 'patches',
    models: result.stages,
    modelShare: result.modelShare,
    seconds: elapsed,
    aborted: result.aborted,
    relative: measured?.relative,
    psnr: measured?.psnr,
    output: options.output,
    damaged: options.damaged,
    compare: options.compare,
  }
}

/** Formats the report as text. @param measured quality on the hidden values, if the truth is known */
function formatReport(
  { aborted }: Restoration,
  measured: Quality | undefined,
  elapsed: number,
  { output, damaged, compare }: Options,
): string {
  const written = [output, damaged, compare].filter(Boolean)
  return [
    `${aborted ? 'Interrupted after' : 'Restored in'} ${formatSeconds(elapsed)}.`,
    ...(measured
      ? [
          `On the missing values: PSNR ${measured.psnr.toFixed(2)} dB, relative error ${formatNumber(measured.relative)}.`,
        ]
      : []),
    `Written: ${written.join(', ')}`,
  ].join('\n')
}
