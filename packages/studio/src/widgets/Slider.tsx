/** Slider with a label and its value. */
import { useId } from 'preact/hooks'

interface Props {
  label: string
  value: number
  min: number
  max: number
  step?: number
  /** The value as text, if the number alone does not suffice. */
  text?: string
  onInput(value: number): void
  disabled?: boolean
  hint?: string
}

/** A range input; `hint` is shown below it. */
export function Slider({ label, value, min, max, step = 1, text, onInput, disabled, hint }: Props) {
  const id = useId()
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        <span class="value">{text ?? value}</span>
      </div>
      <input
        id={id}
        type="range"
        {...{ min, max, step, value, disabled }}
        aria-valuetext={text}
        style={{ '--filled': `${(100 * (value - min)) / (max - min)}%` }}
        onInput={({ currentTarget }) => onInput(Number(currentTarget.value))}
      />
      {hint && <small>{hint}</small>}
    </div>
  )
}
