/** Panel that chooses the damage of a picture. */
import { formatPercent } from 'lacuna-figures/numbers'
import { FileButton, Segmented, Slider } from '../../widgets/index.ts'
import type { DamageKind } from './edits.ts'

const kinds = [
  { value: 'pixels', text: 'Pixels' },
  { value: 'brush', text: 'Brush' },
  { value: 'text', text: 'Text' },
  { value: 'scratches', text: 'Scratches' },
  { value: 'mask', text: 'Mask' },
] as const

/** The current damage and the callbacks of its fields. */
interface Props {
  kind: DamageKind
  onKind(kind: DamageKind): void
  /** The percentage of pixels hidden at random. */
  hidden: number
  onHidden(percent: number): void
  /** The diameter of the brush in pixels of the picture, and its largest value. */
  brush: number
  mostBrush: number
  onBrush(diameter: number): void
  text: string
  onText(text: string): void
  onScratch(): void
  onMask(file: File): void
  onClear(): void
  /** The fraction of the picture that is lost. */
  lost: number
}

/**
 * Chooses the kind of damage and its settings. Brush, text, scratches and masks are combined; random pixels
 * are not.
 */
export function DamagePanel(props: Props) {
  const { kind, hidden, brush, text, lost } = props
  return (
    <div class="group">
      <h2>Damage</h2>
      <Segmented label="Kind of damage" choices={kinds} value={kind} onChange={props.onKind} />
      {kind === 'pixels' && (
        <Slider
          label="Hide pixels at random"
          min={5}
          max={95}
          step={5}
          value={hidden}
          text={`${hidden}%`}
          onInput={props.onHidden}
        />
      )}
      {kind === 'brush' && (
        <Slider
          label="Brush"
          min={2}
          max={props.mostBrush}
          step={1}
          value={brush}
          text={`${brush} px`}
          onInput={props.onBrush}
          hint="Paint over the picture: what you cover is lost. Keys [ and ] change the brush."
        />
      )}
      {kind === 'text' && (
        <label class="field">
          <span class="field-head">Write over the picture</span>
          <input
            type="text"
            value={text}
            maxLength={60}
            onInput={({ currentTarget }) => props.onText(currentTarget.value)}
          />
        </label>
      )}
      {kind === 'scratches' && (
        <button type="button" class="button" onClick={props.onScratch}>
          Scratch it once more
        </button>
      )}
      {kind === 'mask' && (
        <>
          <FileButton accept="image/*" label="Open a mask …" onFile={props.onMask} />
          <small class="soft">
            A picture of the same size: white where pixels are lost, black where they are kept.
          </small>
        </>
      )}
      {kind !== 'pixels' && (
        <div class="field-head">
          <span class="soft">
            {lost === 0 ? 'Nothing is lost yet.' : `${formatPercent(lost)} of the picture is lost.`}
          </span>
          <button type="button" class="button quiet" disabled={lost === 0} onClick={props.onClear}>
            Clear
          </button>
        </div>
      )}
    </div>
  )
}
