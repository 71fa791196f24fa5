import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from '../App.tsx'
import { useSetting } from '../address.ts'
import { count } from '../numbers.ts'
import type { RunSettings } from '../solving/solving.ts'
import { forget, keep } from '../storage.ts'
import { download } from '../widgets/download.ts'
import { ErrorChart } from '../widgets/ErrorChart.tsx'
import { FileButton, useDrop } from '../widgets/FileDrop.tsx'
import { LambdaField } from '../widgets/LambdaField.tsx'
import { RunButton } from '../widgets/RunButton.tsx'
import { RunFigures } from '../widgets/RunFigures.tsx'
import { Segmented } from '../widgets/Segmented.tsx'
import { Slider } from '../widgets/Slider.tsx'
import { DamagePanel } from './DamagePanel.tsx'
import { toPng } from './picture.ts'
import type { Opened, Past } from './RestoreView.tsx'
import { Canvas, type Side, Stage } from './Stage.tsx'
import { useDamage } from './useDamage.ts'
import { useRestoring } from './useRestoring.ts'
import type { Method } from './worker.ts'

const SEED = 1
/** A result is kept when the page has shown it. */
const KEEP_MS = 500

const methods = [
  { value: 'patches', text: 'Patches' },
  { value: 'plain', text: 'Plain' },
] as const

const methodHints: Record<Method, string> = {
  patches: 'Patch × pixel × colour: learns the small patterns of the whole picture.',
  plain: 'Row × column × colour, as in the paper.',
}

interface WorkbenchProps extends ViewProps {
  opened: Opened
  past: Past
  onOpen(file: File): void
  onSample(): void
}

/** A picture, its damage, and how it heals. */
export function Workbench({ complain, settle, opened, past, onOpen, onSample }: WorkbenchProps) {
  const [rank, setRank] = useSetting<number>('restore', 'rank', 24)
  const [method, setMethod] = useSetting<Method>('restore', 'method', 'patches')
  const [lambdaText, setLambda] = useSetting<string>('restore', 'lambda', 'auto')
  const [against, setAgainst] = useState<'original' | 'damaged'>('damaged')
  const { image } = opened
  const damage = useDamage(image, dropResult, complain)
  const { kind, mask, holes, lost } = damage
  const restoring = useRestoring(complain, (kept) =>
    setTimeout(() => void keep('restore.result', { ...kept, damage: damage.name }), KEEP_MS),
  )
  const { status, history, frame } = restoring
  const lambda = lambdaText === 'auto' ? 'auto' : Math.max(0, Number(lambdaText) || 0)
  const settings = (changes: Partial<RunSettings> = {}): RunSettings => ({
    ...{ rank, lambda, seed: SEED },
    ...changes,
  })

  // A picture comes with what was drawn on it before a reload, or unharmed.
  useEffect(() => damage.reset(past.drawn), [opened])
  useEffect(() => {
    if (past.result?.damage === damage.name && status === 'idle') restoring.recall(past.result)
  }, [past, damage.name])

  /** Whatever was restored belongs to another problem now. */
  function dropResult(): void {
    if (status === 'idle') return
    restoring.reset()
    void forget('restore.result')
  }

  const { over, handlers } = useDrop(onOpen)
  const damagedSide: Side = { image: holes, name: 'Damaged' }
  const originalSide: Side = { image, name: 'Original' }
  // Until there is something to see, what is to be restored.
  const restoredSide: Side | undefined =
    status === 'idle' ? undefined : { image: frame?.image ?? holes, name: 'Restored' }
  const painting = kind === 'brush' && status === 'idle'
  const left = painting
    ? undefined
    : restoredSide
      ? against === 'original'
        ? originalSide
        : damagedSide
      : originalSide
  const last = history.at(-1)

  return (
    <div class={over ? 'restore over' : 'restore'} {...handlers}>
      <div class="restore-stage stack tight">
        <Stage
          left={left}
          right={painting ? damagedSide : (restoredSide ?? damagedSide)}
          busy={status === 'running'}
          brush={painting ? damage.brush : undefined}
        />
        <div class="restore-foot">
          <div class="thumbnails">
            <Thumbnail
              side={originalSide}
              chosen={against === 'original'}
              onChoose={() => setAgainst('original')}
            />
            <Thumbnail
              side={damagedSide}
              chosen={against === 'damaged'}
              onChoose={() => setAgainst('damaged')}
            />
            {restoredSide ? (
              <Thumbnail side={restoredSide} />
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
            {opened.name}, {count(image.width)} × {count(image.height)}
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
            label="ModeReshaping of the picture as a tensor"
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
              restoring.change(settings({ rank: value }))
            }}
          />
          <LambdaField
            lambda={lambda}
            found={last?.lambda}
            onChange={(value) => {
              setLambda(String(value))
              restoring.change(settings({ lambda: value }))
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
                settle()
                setAgainst('damaged')
                restoring.start(image, mask, method, settings())
              }}
              onPause={restoring.pause}
              goOn={restoring.recalled ? 'Restore again' : 'Go on'}
              onGoOn={() =>
                restoring.recalled
                  ? restoring.start(image, mask, method, settings())
                  : restoring.goOn(settings())
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

function Thumbnail({ side, chosen, onChoose }: { side: Side; chosen?: boolean; onChoose?: () => void }) {
  const content = (
    <>
      <Canvas image={side.image} label={`${side.name}, small`} />
      <span>{side.name}</span>
    </>
  )
  if (!onChoose) return <div class="thumbnail">{content}</div>
  return (
    <button
      type="button"
      class="thumbnail"
      aria-pressed={chosen}
      title={`Compare with the ${side.name.toLowerCase()} picture`}
      onClick={onChoose}
    >
      {content}
    </button>
  )
}
