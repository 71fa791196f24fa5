/** Field for the regularization λ. */
import { formatNumber } from 'lacuna-figures/numbers'
import { Slider } from './Slider.tsx'

interface Props {
  lambda: number | 'auto'
  onChange(lambda: number | 'auto'): void
  /** The λ that the solver has chosen, if it is 'auto'. */
  found?: number
}

/** A checkbox for automatic λ, or a logarithmic slider. */
export function LambdaField({ lambda, onChange, found }: Props) {
  const value = lambda === 'auto' ? Math.max(found ?? 0.1, 1e-4) : lambda
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          checked={lambda === 'auto'}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'auto' : round(value))}
        />
        Choose λ by itself{lambda === 'auto' && found !== undefined ? `: now ${formatNumber(found)}` : ''}
      </label>
      {lambda !== 'auto' && (
        <Slider
          label="λ, how strongly to smooth"
          min={-4}
          max={3}
          step={0.1}
          value={Math.log10(value)}
          text={formatNumber(value)}
          onInput={(exponent) => onChange(round(10 ** exponent))}
        />
      )}
    </div>
  )
}

/** Rounds to two significant digits. */
const round = (x: number): number => Number(x.toPrecision(2))
