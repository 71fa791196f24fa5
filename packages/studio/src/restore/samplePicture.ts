/** The sample picture of the Restore view, which the build draws into sample.png. */
import { loadPicture, pixelsOf } from './pictureFile.ts'

/** Loads the file of the sample; throws if the server does not have it. */
export async function sampleFile(): Promise<Blob> {
  const response = await fetch('./sample.png')
  if (!response.ok)
    throw new Error('The sample picture is missing from this copy of the studio; open a photo.')
  return response.blob()
}

/** Loads the sample's pixels. @param scale factor of its size, at most 1 */
export async function samplePicture(scale = 1): Promise<ImageData> {
  const { bitmap } = await loadPicture(await sampleFile(), 'The sample', scale)
  return pixelsOf(bitmap)
}
