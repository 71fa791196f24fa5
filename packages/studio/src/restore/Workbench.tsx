/** The Restore view with an opened picture. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import type { Connection } from '../run/remote.ts'
import type { ViewProps } from '../viewProps.ts'
import {
  ErrorChart,
  FileButton,
  LambdaField,
  RunFigures,
  Segmented,
  Slider,
  useBringIntoView,
  useDrop,
} from '../widgets/index.ts'
import { addEdit, addFirstEdit, type DamageKind, DamagePanel, FIRST_TEXT, nextSeed } from './edits/index.ts'
import { Foot } from './Foot.tsx'
import type { OpenedPicture } from './openedPicture.ts'
import { RunControls } from './RunControls.tsx'
import { StageTools } from './StageTools.tsx'
import { Stage, type Tool } from './stage/index.ts'
import { useBench } from './useBench.ts'
import { useSettings } from './useSettings.ts'
import type { PictureFunctions } from './worker/pictureWorker.ts'
import type { Method } from './worker/restoreWorker.ts'

const methods = [
  { value: 'patches', text: 'Patches' },
  { value: 'plain', text: 'Plain' },
] as const

const methodHints: Record<Method, string> = {
  patches: 'Patch × pixel × colour: learns the small patterns of the whole picture.',
  plain: 'Row × column × colour, as in the paper.',
}

/** The opened picture, and callbacks that open another one. */
interface WorkbenchProps extends ViewProps {
  connection: Connection<PictureFunctions>
  opened: OpenedPicture
  onOpen(file: File): void
  onSample(): void
}

/** The controls of a picture: its damage, the model, the run, and the restored picture. */
export function Workbench({ connection, opened, showError, clearError, onOpen, onSample }: WorkbenchProps) {
  const controls = useSettings()
  const { settings, change } = controls
  const { damage } = settings
  const [diameterGiven, setDiameter] = useSetting<number>('restore', 'brush', 0)
  const [tool, setTool] = useState<Tool>(damage.kind === 'brush' ? 'brush' : 'compare')
  const [against, setAgainst] = useState<'Original' | 'Damaged'>('Damaged')
  const bench = useBench({ connection, opened, controls, showError, clearError })
  const { drawn, restoration, lost } = bench
  const { status, history } = restoration
  const hasResult = status !== 'idle'
  const view = useRef<HTMLDivElement>(null)
  const stage = useBringIntoView<HTMLDivElement>(status === 'running')
  const { over, handlers } = useDrop(onOpen)

  // Small brushes for small pictures; the largest covers a fifth of the picture.
  const mostBrush = Math.max(20, Math.round(Math.min(opened.width, opened.height) / 5))
  const diameter =
    diameterGiven > 0 ? Math.min(diameterGiven, mostBrush) : Math.max(4, Math.round(opened.width / 40))

  // Undo and redo by keys, while the view is shown.
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isText =
        event.target instanceof HTMLTextAreaElement ||
        (event.target instanceof HTMLInputElement && event.target.type === 'text')
      if (!(event.ctrlKey || event.metaKey) || isText || view.current?.closest('[hidden]')) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && key !== 'y') return
      event.preventDefault()
      if (key === 'y' || event.shiftKey) controls.redo()
      else controls.undo()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })

  /** Adds an edit; random pixels give way to it. */
  function edit(added: Parameters<typeof addEdit>[1], control?: string): void {
    const kind = damage.kind === 'pixels' ? 'brush' : damage.kind
    change({ damage: { kind, edits: addEdit(damage.edits, added) } }, control)
  }
  /** Chooses a kind of damage. The first choice of text or scratches shows an example of it. */
  function chooseKind(kind: DamageKind): void {
    change({ damage: { kind, edits: addFirstEdit(kind, damage.edits) } })
    setTool(kind === 'brush' ? 'brush' : 'compare')
  }
  async function openMask(file: File): Promise<void> {
    try {
      clearError()
      const mask = await connection.call.readMask(file, file.name)
      edit({ type: 'mask', name: `${file.name} ${file.size} ${file.lastModified}`, mask })
    } catch (error) {
      showError(error)
    }
  }

  const text = damage.edits.find((each) => each.type === 'text')?.text ?? FIRST_TEXT
  const last = history.at(-1)
  const compare = hasResult
    ? ({ left: against, right: 'Restored' } as const)
    : tool === 'compare' && lost > 0
      ? ({ left: 'Original', right: 'Damaged' } as const)
      : undefined
  const shape = opened.height > opened.width ? 'portrait' : 'landscape'

  return (
    <div class={`restore ${shape} ${over ? 'over' : ''}`} ref={view} {...handlers}>
      <StageTools
        {...{ tool, diameter, mostBrush, against }}
        onTool={(next) => {
          setTool(next)
          if (next !== 'compare' && damage.kind === 'pixels') change({ damage: { kind: 'brush' } })
        }}
        onDiameter={setDiameter}
        onAgainst={hasResult ? setAgainst : undefined}
        {...{ canUndo: controls.canUndo, canRedo: controls.canRedo }}
        onUndo={controls.undo}
        onRedo={controls.redo}
      />
      <div class="restore-stage" ref={stage}>
        <Stage
          picture={opened}
          damaged={drawn?.damaged}
          canvases={restoration.canvases}
          busy={status === 'running'}
          {...{ compare, tool, diameter }}
          onDiameter={(next) => setDiameter(Math.min(mostBrush, next))}
          onStroke={edit}
        />
      </div>

      <Foot {...{ opened, bench, settings, showError }} />

      <aside class="restore-panel card" aria-label="Settings">
        <div class="group">
          <h2>Picture</h2>
          <p class="soft small">
            {opened.name}, {opened.width} × {opened.height}
            {opened.original && `, made smaller from ${opened.original[0]} × ${opened.original[1]}`}
          </p>
          {opened.note && <p class="soft small">{opened.note}</p>}
          <div class="buttons">
            <FileButton accept="image/*" label="Open a photo …" onFile={onOpen} />
            <button type="button" class="button" onClick={onSample}>
              Use the sample
            </button>
          </div>
        </div>
        <DamagePanel
          {...{ kind: damage.kind, hidden: damage.hidden, brush: diameter, mostBrush, text, lost }}
          onKind={chooseKind}
          onHidden={(hidden) => change({ damage: { hidden } }, 'hidden')}
          onBrush={setDiameter}
          onText={(next) => edit({ type: 'text', text: next }, 'text')}
          onScratch={() => edit({ type: 'scratches', seed: nextSeed(damage.edits) })}
          onMask={(file) => void openMask(file)}
          onClear={() => change({ damage: { edits: [] } })}
        />
        <details class="group" open={settings.method === 'plain' || settings.lambda !== 'auto'}>
          <summary>Model</summary>
          <Segmented
            label="Reshaping of the picture as a tensor"
            choices={methods}
            value={settings.method}
            onChange={(method) => {
              bench.drop()
              change({ method })
            }}
          />
          <small class="soft">{methodHints[settings.method]}</small>
          <Slider
            label="Rank, how much detail"
            min={4}
            max={128}
            step={4}
            value={settings.rank}
            onInput={(rank) => {
              change({ rank }, 'rank')
              restoration.change(bench.runSettings({ rank }))
            }}
          />
          <LambdaField
            lambda={settings.lambda}
            found={last?.lambda}
            onChange={(lambda) => {
              change({ lambda }, 'lambda')
              restoration.change(bench.runSettings({ lambda }))
            }}
          />
        </details>
        <RunControls bench={bench} />
      </aside>

      {last && (
        <details class="restore-results card">
          <summary>How the model was learned</summary>
          <dl class="figures">
            <RunFigures last={last} known="Error of the known" />
          </dl>
          <ErrorChart history={history} known="known pixels" heldOut="held-out pixels" />
        </details>
      )}
      <p class="visually-hidden" role="status">
        {status === 'done' && restoration.result
          ? `Restored: ${restoration.result.psnr.toFixed(1)} decibels.`
          : ''}
      </p>
    </div>
  )
}
