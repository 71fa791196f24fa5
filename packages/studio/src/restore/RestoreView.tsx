import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from '../App.tsx'
import { forget, keep, recall } from '../storage.ts'
import type { Mask } from './damage.ts'
import { loadPicture, toPng } from './picture.ts'
import { samplePicture } from './sample.ts'
import type { Kept } from './useRestoring.ts'
import { Workbench } from './Workbench.tsx'

export interface Opened {
  image: ImageData
  name: string
  remark?: string
}

/** What was there before a reload. */
export interface Past {
  drawn?: Mask
  result?: Kept & { damage: string }
}

/** Opens a picture, the one from before a reload or the sample at first, and shows what can be done with it. */
export function RestoreView(props: ViewProps) {
  const { complain, settle } = props
  const [opened, setOpened] = useState<Opened>()
  const [past, setPast] = useState<Past>({})

  useEffect(() => void begin().catch(complain), [])

  async function begin(): Promise<void> {
    const [picture, drawn, result] = await Promise.all([
      recall<{ blob: Blob; name: string; remark?: string }>('restore.picture'),
      recall<Mask>('restore.drawn'),
      recall<Past['result']>('restore.result'),
    ])
    setPast({ drawn, result })
    if (!picture) return setOpened(sampleOf(await samplePicture()))
    const { image } = await loadPicture(picture.blob, picture.name)
    setOpened({ image, name: picture.name, remark: picture.remark })
  }

  function show(next: Opened): void {
    settle()
    setPast({})
    setOpened(next)
  }

  async function open(file: File): Promise<void> {
    try {
      const { image, original } = await loadPicture(file, file.name)
      const remark = original && `made smaller from ${original[0]} × ${original[1]}`
      show({ image, name: file.name, remark })
      void keep('restore.picture', { blob: await toPng(image), name: file.name, remark })
    } catch (error) {
      complain(error)
    }
  }

  async function openSample(): Promise<void> {
    try {
      show(sampleOf(await samplePicture()))
      void forget('restore.picture')
    } catch (error) {
      complain(error)
    }
  }

  if (!opened) return <p class="soft">Opening the picture …</p>
  return (
    <Workbench
      {...props}
      opened={opened}
      past={past}
      onOpen={(file) => void open(file)}
      onSample={() => void openSample()}
    />
  )
}

const sampleOf = (image: ImageData): Opened => ({ image, name: 'The sample' })
