/** A view whose code is loaded when it is first shown, and which stays mounted afterwards. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from '../viewProps.ts'

interface Props extends ViewProps {
  /** Whether the view is shown now. */
  shown: boolean
  load(): Promise<ComponentType<ViewProps>>
}

/** Renders nothing until the view is first shown; its worker starts then, too. */
export function LazyView({ shown, load, ...props }: Props) {
  const [view, setView] = useState<{ View: ComponentType<ViewProps> }>()
  useEffect(() => {
    if (!shown || view) return
    load().then(
      (View) => setView({ View }),
      () =>
        props.showError(
          'This part of the studio could not be loaded: the server cannot be reached, or it has a newer version. Reload the page.',
        ),
    )
  }, [shown])
  if (view) return <view.View {...props} />
  return shown ? <p class="soft">Opening …</p> : null
}
