/** A picture of an experiment. */
export interface Frame {
  image: ImageData
  /** The peak signal-to-noise ratio of the lost pixels, in dB. */
  psnr: number
}
