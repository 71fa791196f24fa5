import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ViewProps } from '../App.tsx'
import { useSetting } from '../address.ts'
import { count } from '../numbers.ts'
import { download } from '../parts/download.ts'
import { ErrorChart } from '../parts/ErrorChart.tsx'
import { FileButton, useDrop } from '../parts/FileDrop.tsx'
import { LambdaField } from '../parts/LambdaField.tsx'
import { RunButton } from '../parts/RunButton.tsx'
import { RunFigures } from '../parts/RunFigures.tsx'
import { Segmented } from '../parts/Segmented.tsx'
import { Slider } from '../parts/Slider.tsx'
import type { RunSettings } from '../solving/solving.ts'
import { forget, keep, recall } from '../storage.ts'
import { type DamageKind, DamagePanel } from './DamagePanel.tsx'
import {
  damaged,
  lostAtRandom,
  lostShare,
  type Mask,
  maskFrom,
  paint,
  type Size,
  scratches,
  union,
  writing,
} from './damage.ts'
import { loadPicture, toPng } from './picture.ts'
import { Canvas, type Side, Stage } from './Stage.tsx'
import { samplePicture } from './sample.ts'
import { type Kept, useRestoring } from './useRestoring.ts'
import type { Method } from './worker.ts'

const SEED = 1

const methods = [
  { value: 'patches', text: 'Patches' },
  { value: 'plain', text: 'Plain' },
] as const

const methodHints: Record<Method, string> = {
  patches: 'Patch × pixel × colour: learns the small patterns of the whole picture.',
  plain: 'Row × column × colour, as in the paper.',
}

interface Opened {
  image: ImageData
  name: string
  remark?: string
}

export function RestoreView({ complain, settle }: ViewProps) {
  const [opened, setOpened] = useState<Opened>()
  const [kind, setKind] = useSetting<DamageKind>('restore', 'damage', 'pixels')
  const [hidden, setHidden] = useSetting<number>('restore', 'hide', 80)
  const [rank, setRank] = useSetting<number>('restore', 'rank', 24)
  const [method, setMethod] = useSetting<Method>('restore', 'method', 'patches')
  const [lambdaText, setLambda] = useSetting<string>('restore', 'lambda', 'auto')
  const [brush, setBrush] = useSetting<number>('restore', 'brush', 24)
  const [text, setText] = useSetting<string>('restore', 'text', 'What is missing can be found')
  /** Painted, scratched and masked … */
  const [drawn, setDrawn] = useState<Mask>()
  /** … and written over: it changes with every letter. */
  const [lettering, setLettering] = useState<Mask>()
  const painted = useRef<Mask>(undefined)
  const [against, setAgainst] = useState<'original' | 'damaged'>('damaged')
  const scratched = useRef(0)

  const restoring = useRestoring(complain, (kept) => setTimeout(() => void keep('restore.result', kept), 500))
  const { status, history, frame } = restoring
  const lambda = lambdaText === 'auto' ? 'auto' : Math.max(0, Number(lambdaText) || 0)
  const settings = (changes: Partial<RunSettings> = {}): RunSettings => ({
    rank,
    lambda,
    seed: SEED,
    ...changes,
  })

  const image = opened?.image
  const size: Size = [image?.width ?? 1, image?.height ?? 1]
  const mask = useMemo<Mask | undefined>(() => {
    if (!image) return undefined
    if (kind === 'pixels') return lostAtRandom(size, hidden / 100, SEED)
    return union(drawn, lettering) ?? new Uint8Array(size[0] * size[1])
  }, [image, kind, hidden, drawn, lettering])
  const holes = useMemo(() => image && mask && damaged(image, mask), [image, mask])
  const lost = useMemo(() => (mask ? lostShare(mask) : 0), [mask])

  useEffect(() => void begin().catch(complain), [])

  /** As it was before a reload, or the sample. */
  async function begin(): Promise<void> {
    const [picture, drawnBefore, kept] = await Promise.all([
      recall<{ blob: Blob; name: string; remark?: string }>('restore.picture'),
      recall<Mask>('restore.drawn'),
      recall<Kept & { damage: string }>('restore.result'),
    ])
    const { image } = picture
      ? await loadPicture(picture.blob, picture.name)
      : { image: await samplePicture() }
    const fits = drawnBefore?.length === image.width * image.height
    if (fits) setDrawn(drawnBefore)
    setOpened(picture ? { image, name: picture.name, remark: picture.remark } : sampleOf(image))
    const mask =
      kind === 'pixels'
        ? lostAtRandom([image.width, image.height], hidden / 100, SEED)
        : fits
          ? drawnBefore
          : undefined
    if (kept && mask && kept.frame.image.width === image.width) restoring.recall(kept)
  }

  /** Whatever was restored belongs to another problem now. */
  function dropResult(): void {
    if (status === 'idle') return
    restoring.reset()
    void forget('restore.result')
  }

  async function open(file: File): Promise<void> {
    try {
      const { image, original } = await loadPicture(file, file.name)
      const remark = original && `made smaller from ${original[0]} × ${original[1]}`
      settle()
      show({ image, name: file.name, remark })
      void keep('restore.picture', { blob: await toPng(image), name: file.name, remark })
    } catch (error) {
      complain(error)
    }
  }

  function show(next: Opened): void {
    dropResult()
    setOpened(next)
    changeDamage({})
  }

  function changeDamage(next: { drawn?: Mask; lettering?: Mask }): void {
    dropResult()
    setDrawn(next.drawn)
    setLettering(next.lettering)
    const all = union(next.drawn, next.lettering)
    void (all ? keep('restore.drawn', all) : forget('restore.drawn'))
  }

  function add(more: Mask): void {
    changeDamage({ drawn: union(drawn, more), lettering })
  }

  function changeKind(next: DamageKind): void {
    dropResult()
    setKind(next)
    // A first look at what it does.
    if (next === 'text' && !lettering) changeDamage({ drawn, lettering: writing(size, text) })
    if (next === 'scratches' && !drawn) add(scratches(size, ++scratched.current))
  }

  const { over, handlers } = useDrop((file) => void open(file))
  if (!image || !mask || !holes) return <p class="soft">Opening the picture …</p>

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
          brush={
            painting
              ? {
                  diameter: brush,
                  onStroke: (from, to) => {
                    painted.current ??= drawn?.slice() ?? new Uint8Array(size[0] * size[1])
                    paint(painted.current, size, from, to, brush)
                  },
                  onEnd: () => {
                    changeDamage({ drawn: painted.current, lettering })
                    painted.current = undefined
                  },
                }
              : undefined
          }
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
            {opened.name}, {count(size[0])} × {count(size[1])}
            {opened.remark && `, ${opened.remark}`}
          </p>
          <div class="buttons">
            <FileButton accept="image/*" label="Open a photo …" onFile={(file) => void open(file)} />
            <button
              type="button"
              class="button"
              onClick={() => {
                void forget('restore.picture')
                samplePicture().then((picture) => show(sampleOf(picture)), complain)
              }}
            >
              Use the sample
            </button>
          </div>
        </div>
        <DamagePanel
          {...{ kind, hidden, brush, text, lost }}
          onKind={changeKind}
          onHidden={(value) => {
            dropResult()
            setHidden(value)
          }}
          onBrush={setBrush}
          onText={(value) => {
            setText(value)
            changeDamage({ drawn, lettering: writing(size, value) })
          }}
          onScratch={() => add(scratches(size, ++scratched.current))}
          onMask={(file) =>
            maskFrom(file, size).then(add, () =>
              complain(`${file.name} is no picture that this browser can open.`),
            )
          }
          onClear={() => changeDamage({})}
        />
        <div class="group">
          <h2>Model</h2>
          <Segmented
            label="Arrangement of the picture as a tensor"
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

const sampleOf = (image: ImageData): Opened => ({ image, name: 'The sample' })
