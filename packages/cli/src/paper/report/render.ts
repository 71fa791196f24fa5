/** The figures as files: SVG through linkedom's document, PNG through sharp. */
import { join } from 'node:path'
import {
  convergenceFigure,
  imageFigure,
  type PictureLinks,
  secondsFigure,
  speedUpFigure,
} from 'lacuna-figures/paper'
import type { ImageResult, PaperResults } from 'lacuna-figures/results'
import { createDocument } from '../../report/document.ts'

/** A figure as SVG. */
export interface RenderedFigure {
  /** Number of the figure, 1 to 4. */
  number: number
  svg: string
}

/** Ratio of the size of PNGs to that of SVGs. */
const PNG_SCALE = 2
/**
 * Largest width of pictures within figures, in pixels: a third of the figure's width at double resolution.
 */
const PICTURE_WIDTH = 400

/**
 * Renders the figures of all experiments with results as SVG.
 * @param folder folder of the pictures of figure 1
 */
export async function renderFigures(results: PaperResults, folder: string): Promise<RenderedFigure[]> {
  const document = await createDocument()
  const { image, convergence, timing } = results
  const figures: RenderedFigure[] = []
  const add = (number: number, figure: SVGSVGElement): void => {
    figures.push({ number, svg: figure.outerHTML })
  }
  if (image) add(1, imageFigure(image, await pictureLinks(image, folder), document))
  if (convergence) add(2, convergenceFigure(convergence, document))
  if (timing) add(3, secondsFigure(timing, document))
  if (timing) add(4, speedUpFigure(timing, document))
  return figures
}

/** Renders SVG as PNG at PNG_SCALE times its size, on a white ground. */
export async function toPng(svg: string): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  return sharp(new TextEncoder().encode(svg), { density: 72 * PNG_SCALE })
    .flatten({ background: '#ffffff' })
    .png()
    .toBuffer()
}

/** Returns the pictures of figure 1 as data URIs. */
async function pictureLinks({ pictures, runs }: ImageResult, folder: string): Promise<PictureLinks> {
  const links: PictureLinks = {
    original: await dataUri(join(folder, pictures.original)),
    damaged: await dataUri(join(folder, pictures.damaged)),
  }
  for (const { method, picture } of runs) links[method] = await dataUri(join(folder, picture))
  return links
}

/** Returns a picture as the data URI of a JPEG, at most PICTURE_WIDTH wide. */
async function dataUri(path: string): Promise<string> {
  const { default: sharp } = await import('sharp')
  const jpeg = await sharp(path)
    .resize({ width: PICTURE_WIDTH, withoutEnlargement: true })
    .jpeg({ quality: 88 })
    .toBuffer()
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`
}
