import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface Props {
  /** As an input's accept attribute. */
  accept: string
  label: string
  onFile(file: File): void
  children?: ComponentChildren
}

/** A place to drop a file on, with a button for those who do not drag. */
export function FileDrop({ accept, label, onFile, children }: Props) {
  const { over, handlers } = useDrop(onFile)
  return (
    <div class={over ? 'drop over' : 'drop'} {...handlers}>
      {children}
      <FileButton {...{ accept, label, onFile }} />
    </div>
  )
}

export function FileButton({ accept, label, onFile, quiet }: Props & { quiet?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class={quiet ? 'button quiet' : 'button'} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file) onFile(file)
          currentTarget.value = ''
        }}
      />
    </>
  )
}

/** Makes any element take dropped files. */
export function useDrop(onFile: (file: File) => void) {
  const [over, setOver] = useState(false)
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        setOver(false)
        const file = event.dataTransfer?.files[0]
        if (file) onFile(file)
      },
    },
  }
}
