/** The Paper view: two of the paper's experiments, and reports of `lacuna paper`. */
import { formatPercent } from 'lacuna-figures/numbers'
import { convergenceFigure } from 'lacuna-figures/paper'
import { type ConvergenceResult, type PaperResults, parseResults } from 'lacuna-figures/results'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { chosenEngine } from '../engineChoice.ts'
import { Canvas } from '../restore/Canvas.tsx'
import { applyMask, hidePixels, type Mask } from '../restore/damage.ts'
import { samplePicture } from '../restore/samplePicture.ts'
import { type Connection, connect } from '../run/remote.ts'
import { loadValue, removeValues, storeValue } from '../storage.ts'
import type { ViewProps } from '../viewProps.ts'
import { FilesButton, useDropFiles } from '../widgets/index.ts'
import { Drawing } from './Drawing.tsx'
import { type ImageCurve, type ImageRunName, imageHidden, imageRunNames, imageRuns } from './experiments.ts'
import type { Frame } from './frame.ts'
import { ImageCurves } from './ImageCurves.tsx'
import { Report, type ReportPictures } from './Report.tsx'
import type { PaperFunctions, PictureEvent } from './worker.ts'

/** An experiment that runs in the page: figure 1 or figure 2. */
type Experiment = 'image' | 'convergence'

/** The stored results.json, and the pictures beside it. */
interface StoredReport {
  text: string
  files: File[]
}

/** The Paper view. Each experiment runs in the worker when the user starts it. */
export function PaperView({ showError, clearError }: ViewProps) {
  const connection: Connection<PaperFunctions> = useMemo(
    () =>
      connect(
        new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'paper' }),
        chosenEngine(),
      ),
    [],
  )
  const { call, onEvent } = connection
  const [running, setRunning] = useState<Experiment>()
  const [curves, setCurves] = useState<readonly ImageCurve[]>([])
  const [frames, setFrames] = useState<Partial<Record<ImageRunName, Frame>>>({})
  const [convergence, setConvergence] = useState<ConvergenceResult>()
  const [subject, setSubject] = useState<{ picture: ImageData; mask: Mask; holes: ImageData }>()
  const [report, setReport] = useState<{ results: PaperResults; pictures: ReportPictures }>()

  useEffect(() => {
    samplePicture(0.5).then((picture) => {
      const mask = hidePixels([picture.width, picture.height], imageHidden, 1)
      setSubject({ picture, mask, holes: applyMask(picture, mask) })
    }, showError)
    void loadValue<StoredReport>('paper.report').then((stored) => stored && show(stored))
    const stops = [
      onEvent<ImageCurve[]>('curves', setCurves),
      onEvent<ConvergenceResult>('convergence', setConvergence),
      onEvent<PictureEvent>('picture', ({ name, frame }) =>
        setFrames((before) => ({ ...before, [name]: frame })),
      ),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

  /** Runs an experiment to its end; shows an error if it fails. */
  async function run(which: Experiment): Promise<void> {
    clearError()
    setRunning(which)
    try {
      if (which === 'image') {
        setFrames({})
        setCurves([])
        await call.image(subject!.picture, subject!.mask)
      } else {
        setConvergence(undefined)
        await call.convergence()
      }
    } catch (error) {
      showError(error)
    } finally {
      setRunning(undefined)
    }
  }

  /** Shows a report; throws if its text is no results.json. */
  function show({ text, files }: StoredReport): void {
    const pictures = files.map((file): [string, string] => [file.name, URL.createObjectURL(file)])
    setReport({ results: parseResults(text), pictures: Object.fromEntries(pictures) })
  }

  /** Opens a report from files that were chosen or dropped, shows and stores it. */
  async function open(files: readonly File[]): Promise<void> {
    try {
      const json = files.find(({ name }) => name.endsWith('.json'))
      if (!json)
        throw new Error(
          'Open the results.json that lacuna paper wrote, and the pictures beside it if you like.',
        )
      const stored = { text: await json.text(), files: files.filter(({ name }) => /\.png$/i.test(name)) }
      show(stored)
      clearError()
      void storeValue('paper.report', stored)
    } catch (error) {
      showError(error)
    }
  }

  /** The button that starts or stops an experiment. */
  const button = (which: Experiment) => (
    <button
      type="button"
      class="button"
      disabled={!subject || (running !== undefined && running !== which)}
      onClick={() => (running ? void call.stop() : void run(which))}
    >
      {running === which ? 'Stop' : 'Run it here'}
    </button>
  )
  const { over, handlers } = useDropFiles((files) => void open(files))

  return (
    <div class={over ? 'stack paper over' : 'stack paper'} {...handlers}>
      <p class="paper-intro">
        Siaminou et al., <cite>Accelerated Stochastic Gradient for Nonnegative Tensor Completion</cite>, test
        their method in four figures. Two of them run here, small enough to watch, with the paper’s solver
        exactly and with Lacuna’s own, <b>fast</b>, on the same axes.
      </p>

      <section class="card stack" aria-labelledby="figure-1">
        <div class="explorer-head">
          <h2 id="figure-1">Figure 1: a picture of which nine pixels in ten are lost</h2>
          {button('image')}
        </div>
        <p class="soft small">
          R = 50, MAX_INNER = 1, a plain model of row × column × channel, as in the paper. Here 360 × 240
          instead of 1599 × 1063, and 100 epochs instead of 500; c = 0.1 instead of 0.02, since the rows are
          shorter: a step sees as many of their pixels. Patches are how Restore arranges a picture by default.
        </p>
        <div class="paper-pictures">
          {subject && <Picture image={subject.picture} text="Original" />}
          {subject && (
            <Picture image={subject.holes} text={`Corrupted, ${formatPercent(imageHidden)} missing`} />
          )}
          {imageRuns.map(({ name }) => (
            <RestoredPicture key={name} name={imageRunNames[name]} frame={frames[name]} />
          ))}
        </div>
        <ImageCurves curves={curves} />
      </section>

      <section class="card stack" aria-labelledby="figure-2">
        <div class="explorer-head">
          <h2 id="figure-2">Figure 2: how fast the error falls, for several c</h2>
          {button('convergence')}
        </div>
        <p class="soft small">
          R = 10, MAX_INNER = 1, c = 0.05, 0.2 and 0.5; S1 has much noise, S2 little. Here 360 × 320 × 40 with
          120,000 entries instead of 71567 × 65133 × 730 with 10 million, 40 epochs instead of 100, one trial
          instead of five.
        </p>
        {convergence?.problems.some(({ series }) => series.length > 0) && (
          <Drawing
            draw={() => convergenceFigure(problemsWithPoints(convergence), document)}
            inputs={[convergence]}
          />
        )}
      </section>

      <section class="card stack" aria-labelledby="report">
        <div class="explorer-head">
          <h2 id="report">All four, by the command line</h2>
          <div class="buttons">
            <FilesButton
              accept=".json,.png"
              label="Open results.json …"
              onFiles={(files) => void open(files)}
            />
            {report && (
              <button
                type="button"
                class="button quiet"
                onClick={() => {
                  setReport(undefined)
                  void removeValues('paper.report')
                }}
              >
                Close
              </button>
            )}
          </div>
        </div>
        {report ? (
          <Report {...report} />
        ) : (
          <p class="soft small">
            <code>lacuna paper -o results</code> runs all four experiments on your machine. Drop its{' '}
            <code>results.json</code> here, with the pictures beside it, to see what came out.
          </p>
        )}
      </section>
    </div>
  )
}

/** The result without problems that have no points to draw yet. */
const problemsWithPoints = ({ problems }: ConvergenceResult): ConvergenceResult => ({
  problems: problems.filter(({ series }) => series.length > 0),
})

/** A picture with its caption. */
function Picture({ image, text }: { image: ImageData; text: string }) {
  return (
    <div class="thumbnail">
      <Canvas image={image} label={text} />
      <span>{text}</span>
    </div>
  )
}

/** A restored picture with its PSNR, or an empty box until there is one. */
function RestoredPicture({ name, frame }: { name: string; frame: Frame | undefined }) {
  if (frame) return <Picture image={frame.image} text={`Restored, ${name}: ${frame.psnr.toFixed(1)} dB`} />
  return (
    <div class="thumbnail empty">
      <span>Restored, {name}</span>
    </div>
  )
}
