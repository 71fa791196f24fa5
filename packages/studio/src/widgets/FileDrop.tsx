/** Buttons and drop targets that open files. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface ButtonProps {
  /** The accept attribute of the input element. */
  accept: string
  label: string
  /** Whether this is the main button of the page. */
  primary?: boolean
}

/** A drop target for one file, with a button that opens the file dialog. */
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

/** A button that opens one file. */
export function FileButton({ onFile, ...button }: ButtonProps & { onFile(file: File): void }) {
  return <OpenButton {...button} onFiles={([file]) => onFile(file)} />
}

/** A button that opens several files. */
export function FilesButton(props: ButtonProps & { onFiles(files: File[]): void }) {
  return <OpenButton {...props} multiple />
}

/** A button that opens the file dialog; `onFiles` gets at least one file. */
function OpenButton({
  accept,
  label,
  onFiles,
  multiple,
  primary,
}: ButtonProps & { onFiles(files: File[]): void; multiple?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        class={primary ? 'button primary' : 'button'}
        onClick={() => input.current?.click()}
      >
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

/**
 * Makes an element a drop target for one file: `handlers` are its event handlers, `over` is true while a file
 * is above it.
 */
export function useDrop(onFile: (file: File) => void) {
  return useDropFiles(([file]) => onFile(file))
}

/**
 * Makes an element a drop target for several files: `handlers` are its event handlers, `over` is true while
 * files are above it.
 */
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
