/** A canvas that shows an image. */
import { useLayoutEffect, useRef } from 'preact/hooks'

/** A canvas that shows an image. @param clip the percentage of the width, from the left, that is visible */
export function Canvas({ image, label, clip }: { image: ImageData; label: string; clip?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(image, 0, 0)
  }, [image])
  return (
    <canvas
      ref={canvas}
      width={image.width}
      height={image.height}
      role="img"
      aria-label={label}
      style={clip === undefined ? {} : { clipPath: `inset(0 ${100 - clip}% 0 0)` }}
    />
  )
}
