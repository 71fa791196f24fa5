import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ViewProps } from '../App.tsx'
import { figure, percent } from '../numbers.ts'
import { damaged, lostAtRandom, type Mask } from '../restore/damage.ts'
import { Canvas } from '../restore/Stage.tsx'
import { samplePicture } from '../restore/sample.ts'
import type { Frame } from '../restore/worker.ts'
import { type Connection, connect } from '../solving/remote.ts'
import { CurveChart, CurveLegend } from './CurveChart.tsx'
import { type Curve, imageHidden, imageRuns, problems, runs } from './experiments.ts'
import type { PaperFunctions } from './worker.ts'

type Running = 'image' | 'convergence' | undefined

/** The paper's experiments, small enough to watch. */
export function PaperView({ complain, settle }: ViewProps) {
  const connection: Connection<PaperFunctions> = useMemo(
    () => connect(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'paper' })),
    [],
  )
  const { call, onNews } = connection
  const [running, setRunning] = useState<Running>()
  const [curves, setCurves] = useState<readonly Curve[]>([])
  const [frames, setFrames] = useState<Record<string, Frame>>({})
  const [subject, setSubject] = useState<{ picture: ImageData; mask: Mask; holes: ImageData }>()

  useEffect(() => {
    samplePicture(0.5).then((picture) => {
      const mask = lostAtRandom([picture.width, picture.height], imageHidden, 1)
      setSubject({ picture, mask, holes: damaged(picture, mask) })
    }, complain)
  }, [])
  useEffect(() => {
    const stops = [
      onNews<Curve>('curve', (curve) =>
        setCurves((before) => [
          ...before.filter(({ problem, name }) => problem !== curve.problem || name !== curve.name),
          curve,
        ]),
      ),
      onNews<{ name: string; frame: Frame }>('picture', ({ name, frame }) =>
        setFrames((before) => ({ ...before, [name]: frame })),
      ),
    ]
    return () => stops.forEach((stop) => void stop())
  }, [])

  async function run(which: 'image' | 'convergence'): Promise<void> {
    settle()
    setRunning(which)
    if (which === 'image') setFrames({})
    setCurves((before) => before.filter(({ problem }) => (problem === 'image') !== (which === 'image')))
    try {
      await (which === 'image' ? call.image(subject!.picture, subject!.mask) : call.convergence())
    } catch (error) {
      complain(error)
    } finally {
      setRunning(undefined)
    }
  }

  const button = (which: 'image' | 'convergence') => (
    <button
      type="button"
      class="button"
      disabled={!subject || (running !== undefined && running !== which)}
      onClick={() => (running ? void call.stop() : void run(which))}
    >
      {running === which ? 'Stop' : 'Run it here'}
    </button>
  )
  const imageCurves = curves.filter(({ problem }) => problem === 'image')

  return (
    <div class="stack paper">
      <p class="paper-intro">
        Siaminou et al., <cite>Accelerated Stochastic Gradient for Nonnegative Tensor Completion</cite>, test
        their method in four figures. Two of them run here, small enough to watch, with the paper’s solver
        exactly and with Lacuna’s own, <b>fast</b>, on the same axes. The command <code>lacuna paper</code>{' '}
        runs all four at full size.
      </p>

      <section class="card stack" aria-labelledby="figure-1">
        <div class="explorer-head">
          <h2 id="figure-1">Figure 1: a picture of which nine pixels in ten are lost</h2>
          {button('image')}
        </div>
        <p class="soft small">
          R = 50, MAX_INNER = 1, a plain model of row × column × channel, as in the paper. Here 360 × 240
          instead of 1599 × 1063, and 100 epochs instead of 500; c = 0.1 instead of 0.02, since the rows are
          shorter: a step sees as many of their pixels.
        </p>
        <div class="paper-pictures">
          {subject && <Picture image={subject.picture} text="Original" />}
          {subject && <Picture image={subject.holes} text={`Corrupted, ${percent(imageHidden)} missing`} />}
          {imageRuns.map(({ name }) =>
            frames[name] ? (
              <Picture
                key={name}
                image={frames[name].image}
                text={`Restored, ${name}: ${frames[name].psnr.toFixed(1)} dB`}
              />
            ) : (
              <div key={name} class="thumbnail empty">
                <span>Restored, {name}</span>
              </div>
            ),
          )}
        </div>
        {imageCurves.length > 0 && (
          <>
            <CurveChart title="Error of the known pixels" curves={imageCurves} />
            <CurveLegend
              names={imageCurves.filter(({ points }) => points.length > 0).map(({ name }) => name)}
            />
          </>
        )}
      </section>

      <section class="card stack" aria-labelledby="figure-2">
        <div class="explorer-head">
          <h2 id="figure-2">Figure 2: how fast the error falls, for several c</h2>
          {button('convergence')}
        </div>
        <p class="soft small">
          R = 10, MAX_INNER = 1, c = 0.05, 0.2 and 0.5. Here 360 × 320 × 40 with 120,000 entries instead of
          71567 × 65133 × 730 with 10 million, 40 epochs instead of 100, one trial instead of five. The error
          is that of 20,000 entries never shown to the solver, without their noise.
        </p>
        <div class="paper-panels">
          {problems.map(({ name }) => (
            <CurveChart key={name} title={name} curves={curves.filter(({ problem }) => problem === name)} />
          ))}
        </div>
        <CurveLegend names={runs.map(({ name }) => name)} />
        <Verdict curves={curves} />
      </section>
    </div>
  )
}

function Picture({ image, text }: { image: ImageData; text: string }) {
  return (
    <div class="thumbnail">
      <Canvas image={image} label={text} />
      <span>{text}</span>
    </div>
  )
}

/** What the curves say about the paper's observation. */
function Verdict({ curves }: { curves: readonly Curve[] }) {
  const best = (problem: string, name: string): number | undefined => {
    const found = curves.find((curve) => curve.problem === problem && curve.name === name)
    return found && Math.min(...found.points.map(({ error }) => error))
  }
  const lines = problems.flatMap(({ name }) => {
    const [small, large, fast] = ['paper, c = 0.05', 'paper, c = 0.5', 'fast'].map((run) => best(name, run))
    return small && large && fast ? [{ name, small, large, fast }] : []
  })
  if (lines.length === 0) return null
  return (
    <ul class="soft small">
      {lines.map(({ name, small, large, fast }) => (
        <li key={name}>
          {name}: the smallest error is {figure(small)} with c = 0.05, {figure(large)} with c = 0.5, and{' '}
          {figure(fast)} with the fast solver.
        </li>
      ))}
    </ul>
  )
}
