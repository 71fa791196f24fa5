/** The Restore view with an opened picture. */
import { formatCount } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import { useSetting } from '../address.ts'
import type { RunSettings } from '../run/interactiveRun.ts'
import { removeValues, storeValue } from '../storage.ts'
import type { ViewProps } from '../viewProps.ts'
import {
  download,
  ErrorChart,
  FileButton,
  LambdaField,
  RunButton,
  RunFigures,
  Segmented,
  Slider,
  useDrop,
} from '../widgets/index.ts'
import { DamagePanel } from './DamagePanel.tsx'
import type { OpenedPicture, StoredState } from './openedPicture.ts'
import { toPng } from './pictureFile.ts'
import { Canvas, type NamedImage, Stage } from './Stage.tsx'
import { useDamage } from './useDamage.ts'
import { useRestoration } from './useRestoration.ts'
import type { Method } from './worker.ts'

/** The seed of the runs. */
const SEED = 1
/** The delay before a result is stored, in milliseconds, so that the page shows it first. */
const STORE_DELAY_MS = 500

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
  opened: OpenedPicture
  stored: StoredState
  onOpen(file: File): void
  onSample(): void
}

/** The controls of a picture: its damage, the model, the run, and the restored picture. */
export function Workbench({ showError, clearError, opened, stored, onOpen, onSample }: WorkbenchProps) {
  const [rank, setRank] = useSetting<number>('restore', 'rank', 24)
  const [method, setMethod] = useSetting<Method>('restore', 'method', 'patches')
  const [lambdaText, setLambda] = useSetting<string>('restore', 'lambda', 'auto')
  const [against, setAgainst] = useState<'original' | 'damaged'>('damaged')
  const { image } = opened
  const damage = useDamage(image, dropResult, showError)
  const { kind, mask, holes, lost } = damage
  const restoration = useRestoration(showError, (result) =>
    setTimeout(() => void storeValue('restore.result', { ...result, damage: damage.name }), STORE_DELAY_MS),
  )
  const { status, history, frame } = restoration
  const lambda = lambdaText === 'auto' ? 'auto' : Math.max(0, Number(lambdaText) || 0)
  const settings = (changes: Partial<RunSettings> = {}): RunSettings => ({
    ...{ rank, lambda, seed: SEED },
    ...changes,
  })

  // A picture opens with the damage that was drawn on it before a reload, or without damage.
  useEffect(() => damage.reset(stored.drawn), [opened])
  useEffect(() => {
    if (stored.result?.damage === damage.name && status === 'idle') restoration.showStored(stored.result)
  }, [stored, damage.name])

  /** Discards the restored picture, which belongs to other damage or another method. */
  function dropResult(): void {
    if (status === 'idle') return
    restoration.reset()
    void removeValues('restore.result')
  }

  const { over, handlers } = useDrop(onOpen)
  const damagedPicture: NamedImage = { image: holes, name: 'Damaged' }
  const originalPicture: NamedImage = { image, name: 'Original' }
  // Until the first frame of a run, the damaged picture.
  const restoredPicture: NamedImage | undefined =
    status === 'idle' ? undefined : { image: frame?.image ?? holes, name: 'Restored' }
  const painting = kind === 'brush' && status === 'idle'
  const left = painting
    ? undefined
    : restoredPicture
      ? against === 'original'
        ? originalPicture
        : damagedPicture
      : originalPicture
  const last = history.at(-1)

  return (
    <div class={over ? 'restore over' : 'restore'} {...handlers}>
      <div class="restore-stage stack tight">
        <Stage
          left={left}
          right={painting ? damagedPicture : (restoredPicture ?? damagedPicture)}
          busy={status === 'running'}
          brush={painting ? damage.brush : undefined}
        />
        <div class="restore-foot">
          <div class="thumbnails">
            <Thumbnail
              picture={originalPicture}
              chosen={against === 'original'}
              onChoose={() => setAgainst('original')}
            />
            <Thumbnail
              picture={damagedPicture}
              chosen={against === 'damaged'}
              onChoose={() => setAgainst('damaged')}
            />
            {restoredPicture ? (
              <Thumbnail picture={restoredPicture} />
            ) : (
              <div class="thumbnail empty">
                <span>Restored</span>
              </div>
            )}
          </div>
          {status === 'running' && !last && <p class="soft small">Arranging the picture as a tensor …</p>}
          {last && (
            <dl class="figures">
              <div class="headline">
                <dt>PSNR of the lost pixels</dt>
                <dd data-testid="psnr">{frame ? `${frame.psnr.toFixed(1)} dB` : '–'}</dd>
              </div>
              <RunFigures last={last} known="Error of the known" />
            </dl>
          )}
        </div>
      </div>

      <aside class="restore-panel card" aria-label="Settings">
        <div class="group">
          <h2>Picture</h2>
          <p class="soft small">
            {opened.name}, {formatCount(image.width)} × {formatCount(image.height)}
            {opened.remark && `, ${opened.remark}`}
          </p>
          <div class="buttons">
            <FileButton accept="image/*" label="Open a photo …" onFile={onOpen} />
            <button type="button" class="button" onClick={onSample}>
              Use the sample
            </button>
          </div>
        </div>
        <DamagePanel {...damage.panel} />
        <div class="group">
          <h2>Model</h2>
          <Segmented
            label="Reshaping of the picture as a tensor"
            choices={methods}
            value={method}
            onChange={(next) => {
              dropResult()
              setMethod(next)
              setRank(next === 'plain' ? 50 : 24)
            }}
          />
          <small class="soft">{methodHints[method]}</small>
          <Slider
            label="Rank, how much detail"
            min={4}
            max={128}
            step={4}
            value={rank}
            onInput={(value) => {
              setRank(value)
              restoration.change(settings({ rank: value }))
            }}
          />
          <LambdaField
            lambda={lambda}
            found={last?.lambda}
            onChange={(value) => {
              setLambda(String(value))
              restoration.change(settings({ lambda: value }))
            }}
          />
        </div>
        <div class="group">
          <div class="buttons">
            <RunButton
              status={status}
              start="Restore"
              disabled={lost === 0}
              onStart={() => {
                clearError()
                setAgainst('damaged')
                restoration.start(image, mask, method, settings())
              }}
              onPause={restoration.pause}
              goOn={restoration.isStored ? 'Restore again' : 'Go on'}
              onGoOn={() =>
                restoration.isStored
                  ? restoration.start(image, mask, method, settings())
                  : restoration.goOn(settings())
              }
            />
          </div>
          {status !== 'idle' && (
            <div class="buttons">
              <button
                type="button"
                class="button"
                disabled={!frame}
                onClick={async () =>
                  download(await toPng(frame!.image), `${opened.name.replace(/\.\w+$/, '')}-restored.png`)
                }
              >
                Save the picture
              </button>
              <button type="button" class="button quiet" onClick={dropResult}>
                Start over
              </button>
            </div>
          )}
        </div>
      </aside>

      {last && (
        <div class="restore-results card">
          <ErrorChart history={history} known="known pixels" heldOut="held-out pixels" />
        </div>
      )}
      <p class="visually-hidden" role="status">
        {status === 'done' && frame ? `Restored: ${frame.psnr.toFixed(1)} decibels.` : ''}
      </p>
    </div>
  )
}

/** A small picture with its name; a button if it can be chosen for comparison. */
function Thumbnail({
  picture,
  chosen,
  onChoose,
}: {
  picture: NamedImage
  chosen?: boolean
  onChoose?: () => void
}) {
  const content = (
    <>
      <Canvas image={picture.image} label={`${picture.name}, small`} />
      <span>{picture.name}</span>
    </>
  )
  if (!onChoose) return <div class="thumbnail">{content}</div>
  return (
    <button
      type="button"
      class="thumbnail"
      aria-pressed={chosen}
      title={`Compare with the ${picture.name.toLowerCase()} picture`}
      onClick={onChoose}
    >
      {content}
    </button>
  )
}
