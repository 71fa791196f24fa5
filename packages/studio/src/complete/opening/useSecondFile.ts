/** Hook: opens a file, and asks first where another file is shown and the new one may have names for its rows. */
import { useState } from 'preact/hooks'
import { type Complete, shownRun } from '../state/index.ts'

/** A file that waits for an answer, or the session that a file has replaced, and what the user can do. */
export interface SecondFile {
  /** The file that may have names for a mode. */
  asked?: { file: File; mode: string }
  /** The session of the file that was shown before. */
  replaced?: { id: string; name: string }
  /** Takes the file as names or as new data. */
  answer(as: 'names' | 'data'): void
  /** Shows the session of the file before. */
  undo(): void
  /** Leaves everything as it is. */
  dismiss(): void
}

/** Returns a function that opens a file, and the question or the offer that follows from it. */
export function useSecondFile(
  { state, controller, keeper, call }: Complete,
  showError: (error: unknown) => void,
): SecondFile & { open(file: File): Promise<void> } {
  const [asked, setAsked] = useState<SecondFile['asked']>()
  const [replaced, setReplaced] = useState<SecondFile['replaced']>()
  /** Opens a file as data; the session before it can be shown again. */
  const openData = async (file: File): Promise<void> => {
    setAsked(undefined)
    setReplaced(undefined)
    const before = keeper.current
    const name = state.source?.file.name
    await controller.open(file)
    if (before && name && controller.state.source?.file === file) setReplaced({ id: before, name })
  }
  /** Gives the rows of the shown model names. */
  const takeNames = async (file: File): Promise<void> => {
    setAsked(undefined)
    const run = shownRun(controller.state)
    if (!run?.model) return
    await call.attachNames(file)
    controller.apply({ type: 'modelChanged', job: run.id, model: { ...run.model } })
  }
  return {
    ...{ asked, replaced },
    async open(file) {
      const mode = shownRun(state)?.model && (await call.findNames(file).catch(() => undefined))
      if (mode) return setAsked({ file, mode })
      await openData(file)
    },
    answer(as) {
      if (asked) (as === 'names' ? takeNames : openData)(asked.file).catch(showError)
    },
    undo() {
      if (replaced) void keeper.reopen(replaced.id)
      setReplaced(undefined)
    },
    dismiss() {
      setAsked(undefined)
      setReplaced(undefined)
    },
  }
}
