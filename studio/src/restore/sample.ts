/** A picture to begin with. */
export function samplePicture(scale = 1): ImageData {
  const [width, height] = [720 * scale, 480 * scale]
  const image = new ImageData(width, height)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++)
      for (let c = 0; c < 4; c++)
        image.data[4 * (row * width + column) + c] =
          c === 3 ? 255 : 255 * brightness(row / height, column / width, c)
  return image
}
function brightness(y: number, x: number, channel: number): number {
  const sky = [0.45, 0.6, 0.85][channel] * (1 - 0.35 * y)
  const roof = 0.22 + 0.08 * Math.abs(x - 0.5)
  if (y < roof) return sky + 0.05 * Math.sin(9 * x + 4 * y)
  const stone = [0.72, 0.66, 0.55][channel] * (0.8 + 0.2 * Math.cos(3 * (x - 0.4)))
  const shade = 0.92 + 0.08 * Math.sin(60 * Math.PI * y)
  const inWindow = (12 * x) % 1 > 0.3 && (12 * x) % 1 < 0.7 && (7 * y) % 1 > 0.25 && (7 * y) % 1 < 0.85
  const glass = [0.18, 0.24, 0.32][channel] * (1 + 0.5 * Math.sin(5 * x + 7 * y))
  const cornice = y < roof + 0.03 ? 1.15 : 1
  return Math.min(1, (inWindow ? glass : stone * shade) * cornice)
}
