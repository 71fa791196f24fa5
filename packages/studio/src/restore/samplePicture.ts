/** The sample picture of the Restore view, which the build draws into sample.png. */
import { loadPicture } from './pictureFile.ts'

/** Loads the sample; throws if the server does not have it. @param scale factor of its size, at most 1 */
export async function samplePicture(scale = 1): Promise<ImageData> {
  const response = await fetch('./sample.png')
  if (!response.ok)
    throw new Error('The sample picture is missing from this copy of the studio; open a photo.')
  const { image } = await loadPicture(await response.blob(), 'The sample', scale)
  return image
}
