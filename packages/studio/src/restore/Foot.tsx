/** Beside or below the picture: how good the restored picture is, how it was made, and files of it. */
import { formatSeconds } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import { download } from '../widgets/index.ts'
import type { OpenedPicture } from './openedPicture.ts'
import { imageCommand, stemOf } from './share/index.ts'
import type { Bench } from './useBench.ts'
import type { Settings } from './useSettings.ts'
import type { Outcome } from './worker/restoreWorker.ts'

interface Props {
  opened: OpenedPicture
  bench: Bench
  settings: Settings
  showError(error: unknown): void
}

/** The names of factors of resolution. */
const resolutions: Record<number, string> = {
  1: 'at full resolution',
  2: 'at half the resolution',
  4: 'at a quarter of the resolution',
}

/** Describes in a sentence how the holes were restored. */
export function describeRegions({ regions }: Pick<Outcome, 'regions'>): string {
  const parts = [...regions]
    .sort((a, b) => a.factor - b.factor)
    .map(({ factor, count }, n) => {
      const what = n === 0 ? (count === 1 ? 'one region' : `${count} regions`) : String(count)
      return `${what} ${resolutions[factor] ?? `at 1/${factor} of the resolution`}`
    })
  const isReduced = regions.some(({ factor }) => factor > 1)
  return `Restored ${parts.join(', ')}${isReduced ? ', merged into the full picture' : ''}.`
}

/** Figures and files of the restored picture. */
export function Foot({ opened, bench, settings, showError }: Props) {
  const { restoration, connection } = bench
  const { status, progress, result } = restoration
  /** The file that is being made. */
  const [making, setMaking] = useState<string>()
  const psnr = result?.psnr ?? progress?.psnr
  if (status === 'idle')
    return (
      <div class="restore-foot hints soft small">
        <p>
          Paint over what should be replaced, or choose another damage, and press Restore. Nothing leaves this
          page.
        </p>
        <p>
          Zoom with Ctrl and the wheel (the wheel alone after a click on the picture), two fingers, or + and
          −; move the picture by dragging. Ctrl+Z undoes strokes and sliders.
        </p>
      </div>
    )
  const stem = stemOf(opened.name)

  /** Makes a file of the result and offers it as a download. */
  async function save(make: () => Promise<Blob>, name: string): Promise<void> {
    setMaking(name)
    try {
      download(await make(), name)
    } catch (error) {
      showError(error)
    }
    setMaking(undefined)
  }
  /** A button that saves a file. */
  const saveButton = (text: string, name: string, make: () => Promise<Blob>) => (
    <button
      type="button"
      class="button"
      disabled={!result || !bench.isRestored || making !== undefined}
      onClick={() => void save(make, name)}
    >
      {making === name ? 'Writing …' : text}
    </button>
  )
  const { makeFile, makeMask } = connection.call
  const { filled } = result ?? {}
  const command = imageCommand({ name: opened.name, ...settings })

  return (
    <div class="restore-foot">
      <dl class="figures">
        <div class="headline">
          <dt>PSNR of the lost pixels</dt>
          <dd data-testid="psnr">{psnr === undefined ? '–' : `${psnr.toFixed(1)} dB`}</dd>
        </div>
      </dl>
      {result && (
        <p class="soft small">
          {describeRegions(result)} Known pixels are as they were. {formatSeconds(result.seconds)}.
          {result.limited && (
            <>
              {' '}
              <button type="button" class="button" onClick={() => bench.start(true)}>
                Refine at full resolution
              </button>{' '}
              takes minutes.
            </>
          )}
        </p>
      )}
      <div class="buttons">
        {saveButton('Save the picture', `${stem}-restored.png`, () => makeFile(filled!, 'picture'))}
        {saveButton('Before and after', `${stem}-before-after.png`, () => makeFile(filled!, 'before-after'))}
        {saveButton('Animation', `${stem}-before-after.webp`, () => makeFile(filled!, 'animation'))}
      </div>
      {result && (
        <details class="command">
          <summary>The same on the command line</summary>
          <pre>
            <code>{command}</code>
          </pre>
          <div class="buttons">
            <button
              type="button"
              class="button"
              onClick={() => void navigator.clipboard.writeText(command).catch(showError)}
            >
              Copy
            </button>
            {settings.damage.kind !== 'pixels' &&
              saveButton('Save the mask', `${stem}-mask.png`, () => makeMask())}
          </div>
        </details>
      )}
    </div>
  )
}
