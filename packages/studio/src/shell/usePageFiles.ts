/** Hook: the whole page, its header included, takes files that are dropped or pasted. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { chooseView, isPicture, looksLikeTable, pastedTable } from './chooseView.ts'

/** The shown view, and the handler of opened files. */
interface Options {
  /** The view that is shown now. */
  view: string
  /** Opens files in a view. */
  open(view: 'restore' | 'complete', files: File[]): void
}

/**
 * Listens for drops and pastes on the whole page. A view may handle a drop on itself by its own drop targets
 * (a mask in Restore, names in Complete); files of another kind are taken from it and opened in their view.
 * @returns true while files are dragged over the page
 */
export function usePageFiles(options: Options): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(options)
  latest.current = options

  useEffect(() => {
    /** Opens the files of an event in the view for their kind, and keeps the browser from opening them. */
    const take = (event: Event, files: File[]): void => {
      event.preventDefault()
      event.stopPropagation()
      latest.current.open(chooseView(files), files)
    }
    const isFileDrag = ({ dataTransfer }: DragEvent): boolean => !!dataTransfer?.types.includes('Files')
    const dragOver = (event: DragEvent): void => {
      event.preventDefault()
      if (isFileDrag(event)) setOver(true)
    }
    const dragLeave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setOver(false)
    }
    /** Before the views see the drop: takes files of which the view that is shown can make nothing. */
    const dropBefore = (event: DragEvent): void => {
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      const { view } = latest.current
      const belongsElsewhere = (view === 'restore' || view === 'complete') && chooseView(files) !== view
      if (files.length > 0 && belongsElsewhere) take(event, files)
    }
    /** After the views: takes what no drop target has taken. */
    const dropAfter = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])]
      if (!event.defaultPrevented && files.length > 0) take(event, files)
      event.preventDefault() // the browser would leave the page and show the file
    }
    const paste = (event: ClipboardEvent): void => {
      const { clipboardData, target } = event
      if (event.defaultPrevented || !clipboardData || isTextField(target)) return
      const pictures = [...clipboardData.files].filter(isPicture)
      const text = clipboardData.getData('text/plain')
      if (pictures.length > 0) take(event, pictures)
      else if (looksLikeTable(text)) take(event, [pastedTable(text)])
    }
    const stop = new AbortController()
    const { signal } = stop
    addEventListener('dragover', dragOver, { signal })
    addEventListener('dragleave', dragLeave, { signal })
    addEventListener('drop', dropBefore, { signal, capture: true })
    addEventListener('drop', dropAfter, { signal })
    addEventListener('paste', paste, { signal })
    return () => stop.abort()
  }, [])
  return over
}

/** Whether text can be typed into the target of an event, which then gets what is pasted. */
const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'range', 'button', 'file'].includes(target.type))
