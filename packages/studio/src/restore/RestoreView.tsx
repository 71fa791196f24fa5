/** The Restore view: opens a picture and shows the Workbench. */
import { useEffect, useState } from 'preact/hooks'
import { loadValue, removeValues, storeValue } from '../storage.ts'
import type { ViewProps } from '../viewProps.ts'
import type { Mask } from './damage.ts'
import type { OpenedPicture, StoredState } from './openedPicture.ts'
import { loadPicture, toPng } from './pictureFile.ts'
import { samplePicture } from './samplePicture.ts'
import { Workbench } from './Workbench.tsx'

/** The Restore view. Begins with the picture from before a reload, or with the sample. */
export function RestoreView(props: ViewProps) {
  const { showError, clearError } = props
  const [opened, setOpened] = useState<OpenedPicture>()
  const [stored, setStored] = useState<StoredState>({})

  useEffect(() => void restoreState().catch(showError), [])

  /** Restores the state before a reload. */
  async function restoreState(): Promise<void> {
    const [picture, drawn, result] = await Promise.all([
      loadValue<{ blob: Blob; name: string; remark?: string }>('restore.picture'),
      loadValue<Mask>('restore.drawn'),
      loadValue<StoredState['result']>('restore.result'),
    ])
    setStored({ drawn, result })
    if (!picture) return setOpened(namedSample(await samplePicture()))
    const { image } = await loadPicture(picture.blob, picture.name)
    setOpened({ image, name: picture.name, remark: picture.remark })
  }

  /** Shows another picture, without the stored state of the last one. */
  function show(next: OpenedPicture): void {
    clearError()
    setStored({})
    setOpened(next)
  }

  /** Opens a picture file, shows and stores it. */
  async function open(file: File): Promise<void> {
    try {
      const { image, original } = await loadPicture(file, file.name)
      const remark = original && `made smaller from ${original[0]} × ${original[1]}`
      show({ image, name: file.name, remark })
      void storeValue('restore.picture', { blob: await toPng(image), name: file.name, remark })
    } catch (error) {
      showError(error)
    }
  }

  async function openSample(): Promise<void> {
    try {
      show(namedSample(await samplePicture()))
      void removeValues('restore.picture')
    } catch (error) {
      showError(error)
    }
  }

  if (!opened) return <p class="soft">Opening the picture …</p>
  return (
    <Workbench
      {...props}
      opened={opened}
      stored={stored}
      onOpen={(file) => void open(file)}
      onSample={() => void openSample()}
    />
  )
}

/** The sample as an opened picture. */
const namedSample = (image: ImageData): OpenedPicture => ({ image, name: 'The sample' })
