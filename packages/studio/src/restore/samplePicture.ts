/** The picture to begin with, drawn by the project itself when the studio was built. */
import { loadPicture } from './picture.ts'

export async function samplePicture(scale = 1): Promise<ImageData> {
  const response = await fetch('./sample.png')
  if (!response.ok)
    throw new Error('The sample picture is missing from this copy of the studio; open a photo.')
  const { image } = await loadPicture(await response.blob(), 'The sample', scale)
  return image
}
