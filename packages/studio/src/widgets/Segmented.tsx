/** Control that chooses one of a few values. */

interface Props<T extends string> {
  label: string
  choices: readonly { value: T; text: string }[]
  value: T
  onChange(value: T): void
  disabled?: boolean
}

/** Radio buttons, shown as one segmented control. */
export function Segmented<T extends string>({ label, choices, value, onChange, disabled }: Props<T>) {
  return (
    <fieldset class="segmented" aria-label={label}>
      {choices.map((choice) => (
        <label key={choice.value}>
          <input
            type="radio"
            name={label}
            checked={choice.value === value}
            disabled={disabled}
            onChange={() => onChange(choice.value)}
          />
          <span>{choice.text}</span>
        </label>
      ))}
    </fieldset>
  )
}
