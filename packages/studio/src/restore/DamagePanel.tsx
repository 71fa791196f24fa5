import { percent } from '../numbers.ts'
import { FileButton } from '../widgets/FileDrop.tsx'
import { Segmented } from '../widgets/Segmented.tsx'
import { Slider } from '../widgets/Slider.tsx'

export type DamageKind = 'pixels' | 'brush' | 'text' | 'scratches' | 'mask'

const kinds = [
  { value: 'pixels', text: 'Pixels' },
  { value: 'brush', text: 'Brush' },
  { value: 'text', text: 'Text' },
  { value: 'scratches', text: 'Scratches' },
  { value: 'mask', text: 'Mask' },
] as const

export interface DamagePanelProps {
  kind: DamageKind
  onKind(kind: DamageKind): void
  hidden: number
  onHidden(percent: number): void
  brush: number
  onBrush(diameter: number): void
  text: string
  onText(text: string): void
  onScratch(): void
  onMask(file: File): void
  onClear(): void
  /** The share of the picture that is lost. */
  lost: number
}

/** How to damage the picture. Brush, text, scratches and masks add up; random pixels stand alone. */
export function DamagePanel(props: DamagePanelProps) {
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
          min={4}
          max={80}
          step={2}
          value={brush}
          text={`${brush} px`}
          onInput={props.onBrush}
          hint="Paint over the picture: what you cover is lost."
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
            A picture of the same shape: white where pixels are lost, black where they are kept.
          </small>
        </>
      )}
      {kind !== 'pixels' && (
        <div class="field-head">
          <span class="soft">
            {lost === 0 ? 'Nothing is lost yet.' : `${percent(lost)} of the picture is lost.`}
          </span>
          <button type="button" class="button quiet" disabled={lost === 0} onClick={props.onClear}>
            Clear
          </button>
        </div>
      )}
    </div>
  )
}
