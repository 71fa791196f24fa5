import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface ButtonProps {
  /** As an input's accept attribute. */
  accept: string
  label: string
}

/** A place to drop a file on, with a button for those who do not drag. */
export function FileDrop({
  onFile,
  children,
  ...button
}: ButtonProps & { onFile(file: File): void; children: ComponentChildren }) {
  const { over, handlers } = useDrop(onFile)
  return (
    <div class={over ? 'drop over' : 'drop'} {...handlers}>
      {children}
      <FileButton {...button} onFile={onFile} />
    </div>
  )
}

export function FileButton({ onFile, ...button }: ButtonProps & { onFile(file: File): void }) {
  return <OpenButton {...button} onFiles={([file]) => onFile(file)} />
}

export function FilesButton(props: ButtonProps & { onFiles(files: File[]): void }) {
  return <OpenButton {...props} multiple />
}

function OpenButton({
  accept,
  label,
  onFiles,
  multiple,
}: ButtonProps & { onFiles(files: File[]): void; multiple?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          currentTarget.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
    </>
  )
}

/** Makes any element take a dropped file. */
export function useDrop(onFile: (file: File) => void) {
  return useDropFiles(([file]) => onFile(file))
}

export function useDropFiles(onFiles: (files: File[]) => void) {
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
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length > 0) onFiles(files)
      },
    },
  }
}
