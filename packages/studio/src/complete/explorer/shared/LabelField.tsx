/** Field for a row of a mode. */
import { useEffect, useId, useState } from 'preact/hooks'

interface Props {
  name: string
  size: number
  /** The number of rows of the user's own, which follow. */
  own?: number
  labelled: boolean
  value: string
  /** Shown while the field is empty. */
  placeholder?: string
  onChange(value: string): void
  suggest(text: string): Promise<string[]>
}

/** Chooses a row by its label, with suggestions, or by its number from 1. */
export function LabelField({ name, size, own = 0, labelled, value, placeholder, onChange, suggest }: Props) {
  const id = useId()
  const [choices, setChoices] = useState<string[]>([])
  useEffect(() => {
    // A complete label would suggest only itself: then all labels are suggested.
    if (labelled) void suggest(choices.includes(value) ? '' : value).then(setChoices, () => {})
  }, [value, labelled])
  const shared = {
    id,
    value,
    placeholder,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value),
  }
  return (
    <div class="field">
      <label class="field-head" for={id}>
        {name}
        {!labelled && <span class="value">1 … {size + own}</span>}
      </label>
      {labelled ? (
        <>
          <input
            {...shared}
            type="text"
            list={`${id}-labels`}
            autocomplete="off"
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <datalist id={`${id}-labels`}>
            {choices.map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        </>
      ) : (
        <input {...shared} type="number" min={1} max={size + own} />
      )}
    </div>
  )
}
