/** The Restore view: opens a picture and shows the Workbench. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { chosenEngine } from '../engineChoice.ts'
import { type Connection, connect } from '../run/remote.ts'
import type { ViewProps } from '../viewProps.ts'
import type { OpenedPicture, StoredState } from './openedPicture.ts'
import { sampleFile } from './samplePicture.ts'
import { loadHere, removeHere, storeHere } from './tabStorage.ts'
import { Workbench } from './Workbench.tsx'
import { lazyConnection } from './worker/lazyConnection.ts'
import type { PictureFunctions } from './worker/pictureWorker.ts'
import type { StoredRegion } from './worker/restoreWorker.ts'

/** A picture that can be opened. */
type Openable = Pick<OpenedPicture, 'file' | 'name'> & Partial<OpenedPicture>

/** The Restore view. Begins with the picture from before a reload, or with the sample. */
export function RestoreView(props: ViewProps) {
  const { showError, clearError, incoming } = props
  const [opened, setOpened] = useState<OpenedPicture>()
  /** The number of the last picture that was asked for: earlier ones that are read later are dropped. */
  const asked = useRef(0)
  const connection: Connection<PictureFunctions> = useMemo(
    () =>
      lazyConnection(() =>
        connect(
          new Worker(new URL('./worker/pictureWorker.ts', import.meta.url), {
            type: 'module',
            name: 'pictures',
          }),
          chosenEngine(),
        ),
      ),
    [],
  )

  // A picture that was dropped on the page is shown first, else the one from before a reload.
  useEffect(() => {
    if (incoming?.files[0]) {
      const [file] = incoming.files
      const { note, settings } = incoming.example ?? {}
      void open(async () => ({ file, name: file.name, note, settings }))
    } else if (!opened) void open(restoreState, false)
  }, [incoming?.id])

  /**
   * Opens a picture and shows it, unless another one was asked for meanwhile.
   * @param isNew whether it takes the place of what is stored
   */
  async function open(load: () => Promise<Openable>, isNew = true): Promise<void> {
    const number = ++asked.current
    try {
      const wanted = await load()
      const bitmap = await connection.call.open(wanted.file, wanted.name)
      if (number !== asked.current) return
      clearError()
      if (isNew) {
        await removeHere()
        if (number !== asked.current) return
        void storeHere('picture', { file: wanted.file, name: wanted.name, note: wanted.note })
      }
      setOpened({ stored: {}, ...wanted, ...bitmap })
    } catch (error) {
      if (number !== asked.current) return
      showError(error)
      // The worker may have a picture that was superseded meanwhile: it returns to the one that is shown.
      if (opened) void connection.call.open(opened.file, opened.name)
    }
  }

  if (!opened) return <p class="soft">Opening the picture …</p>
  return (
    <Workbench
      {...props}
      {...{ opened, connection }}
      onOpen={(file) => void open(async () => ({ file, name: file.name }))}
      onSample={() => void open(loadSample)}
    />
  )
}

/** The sample. */
const loadSample = async (): Promise<Openable> => ({ file: await sampleFile(), name: 'sample.png' })

/** The picture from before a reload with its state, or the sample. */
async function restoreState(): Promise<Openable> {
  const [picture, edits, result, run] = await Promise.all([
    loadHere<Pick<Openable, 'file' | 'name' | 'note'>>('picture'),
    loadHere<StoredState['edits']>('edits'),
    loadHere<StoredState['result']>('result'),
    loadHere<StoredState['run']>('run'),
  ])
  const regions = await Promise.all(
    Array.from({ length: run?.regions ?? 0 }, (_, n) => loadHere<StoredRegion>(`region${n}`)),
  )
  const stored: StoredState = {
    edits,
    result,
    run,
    regions: regions.filter((region) => region !== undefined),
  }
  return { ...(picture ?? (await loadSample())), stored }
}
