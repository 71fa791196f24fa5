/** Hook: opens a file, and asks first where another file is shown and the new one may describe its rows. */
import { useRef, useState } from 'preact/hooks'
import type { SideTable, SideTableOffer } from '../sideTables.ts'
import { type Complete, isSessionFile, type SessionContent } from '../state/index.ts'

/** A file that waits for an answer, or the session that a file has replaced, and what the user can do. */
export interface SecondFile {
  /** The file that may have names or attributes of rows. */
  asked?: { file: File; offer: SideTableOffer }
  /** The session of the file that was shown before: stored, or for a large file in memory until the tab is closed. */
  replaced?: { name: string; session: string | SessionContent }
  /** Takes the file as names, attributes or new data. */
  answer(as: SideTable['kind'] | 'data'): void
  /** Shows the session of the file before. */
  undo(): void
  /** Leaves everything as it is. */
  dismiss(): void
}

/** Returns a function that opens a file, and the question or the offer that follows from it. */
export function useSecondFile(
  { controller, keeper }: Complete,
  showError: (error: unknown) => void,
): SecondFile & { open(file: File): Promise<void> } {
  const [asked, setAsked] = useState<SecondFile['asked']>()
  const [replaced, setReplaced] = useState<SecondFile['replaced']>()
  /** The number of the last file that was opened: what is found out about earlier ones is dropped. */
  const last = useRef(0)
  /** Whether another file is shown than that of a session. */
  const isOther = (before: string | SessionContent): boolean =>
    typeof before === 'string' ? keeper.current !== before : controller.state.source?.file !== before.file
  /** Opens a file as data or as a session; the session before it can be shown again. */
  const openData = async (file: File): Promise<void> => {
    const number = ++last.current
    setAsked(undefined)
    setReplaced(undefined)
    const { current } = keeper
    const name = controller.state.source?.file.name
    // A file that is too large to be stored: the tab can still read it again.
    const before = current ?? (await keeper.copyOfLarge().catch(() => undefined))
    if (number !== last.current) return
    if (isSessionFile(file)) await keeper.importFile(file, () => number === last.current)
    else await controller.open(file)
    if (number === last.current && before && name && isOther(before)) setReplaced({ session: before, name })
  }
  return {
    ...{ asked, replaced },
    async open(file) {
      const number = ++last.current
      const { source } = controller.state
      const offer = source && !isSessionFile(file) ? await controller.inspectBeside(file) : undefined
      if (number !== last.current) return
      if (offer && controller.state.source === source) return setAsked({ file, offer })
      await openData(file).catch(showError)
    },
    answer(as) {
      if (!asked) return
      const { file, offer } = asked
      if (as === 'data') return void openData(file).catch(showError)
      void controller.addTable(file, as)
      // The other kind can be taken, too.
      const rest = as === 'names' ? { ...offer, hasNames: false } : { ...offer, attributes: [] as string[] }
      setAsked(rest.hasNames || rest.attributes.length > 0 ? { file, offer: rest } : undefined)
    },
    undo() {
      if (typeof replaced?.session === 'string') void keeper.reopen(replaced.session)
      else if (replaced) void keeper.reopenCopy(replaced.session)
      setReplaced(undefined)
    },
    dismiss() {
      setAsked(undefined)
      setReplaced(undefined)
    },
  }
}
