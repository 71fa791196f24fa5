/** `bench pictures`: PSNR and processor time of restored pictures, beside linear interpolation and another build. */
import { resolve } from 'node:path'
import { basename } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { InputError } from 'lacuna'
import { readImage } from 'lacuna/image'
import { positiveWholeNumber, print, sizes, wholeNumber } from '#cli/kit.ts'
import { damages } from './measure/pictures/damages.ts'
import {
  cropMiddle,
  measurePicture,
  type PictureResult,
  type Restore,
} from './measure/pictures/measurePictures.ts'

/** Options of the command line. */
interface Options {
  damages: string
  crop?: number[]
  seed: number
  threads: number
  before?: string
}

/** Creates the command `bench pictures`. */
export function picturesCommand(): Command {
  const names = Object.keys(damages)
  return new Command('pictures')
    .description(
      'PSNR of restored pictures beside linear interpolation, and processor time, as rows of a table',
    )
    .argument('<files...>', 'pictures')
    .option('--damages <list>', `of ${names.join(', ')}`, names.join(','))
    .option('--crop <size>', 'use the middle of each picture, as in 384x256 (default: whole pictures)', sizes)
    .option('--seed <s>', 'of the hidden pixels and scratches', wholeNumber, 1)
    .option(
      '--threads <n>',
      'threads of the solver; with one, waiting costs no processor time',
      positiveWholeNumber,
      1,
    )
    .option('--before <file>', 'dist/image.js of another build of the library, to compare with')
    .action(runPictures)
}

/** Measures each picture with each damage, and prints rows as they are ready. */
async function runPictures(files: string[], options: Options): Promise<void> {
  const names = options.damages.split(',')
  for (const name of names) if (!damages[name]) throw new InputError('option', `There is no damage ${name}.`)
  const { seed, threads, crop } = options
  const before: Restore | undefined =
    options.before && (await import(/* @vite-ignore */ pathToFileURL(resolve(options.before)).href)).restore
  await print('| picture | hidden | | linear | before | now | s before | s now | ratio | model weight |')
  await print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const file of files) {
    const { picture: whole } = await readImage(file)
    const picture = crop ? cropMiddle(whole, [crop[0], crop[1]]) : whole
    const title = `${basename(file).replace(/\..*/, '')} ${picture.width}×${picture.height}`
    for (const name of names) {
      const known = await damages[name](picture, seed)
      const result = await measurePicture(picture, known, { threads, before })
      await print(`| ${[title, name, ...formatCells(result)].join(' | ')} |`)
    }
  }
}

/** Formats the figures of a row: dB, and seconds of processor time. */
function formatCells({ hidden, linear, before, now }: PictureResult): string[] {
  return [
    `${(100 * hidden).toFixed(1)}%`,
    linear.toFixed(2),
    before?.psnr.toFixed(2) ?? '',
    now.psnr.toFixed(2),
    before?.processor.toFixed(1) ?? '',
    now.processor.toFixed(1),
    before ? (now.processor / before.processor).toFixed(2) : '',
    now.modelWeight.toFixed(2),
  ]
}
