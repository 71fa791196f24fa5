/** Fields for the policies of a tensor: negative values, and entries of equal coordinates. */
import type { MergePolicy } from 'lacuna/internal'

/** The policies for entries with equal coordinates, as the page names them. */
const merges: readonly { value: MergePolicy; text: string }[] = [
  { value: 'error', text: 'refuse' },
  { value: 'sum', text: 'add up' },
  { value: 'mean', text: 'take the mean' },
  { value: 'last', text: 'take the last' },
]

interface PolicyProps {
  negative: 'error' | 'keep' | 'clip'
  onNegative(negative: 'error' | 'keep' | 'clip'): void
  merge: MergePolicy
  onMerge(merge: MergePolicy): void
}

/** Chooses the policies for negative values and for entries with equal coordinates. */
export function PolicyFields({ negative, onNegative, merge, onMerge }: PolicyProps) {
  return (
    <div class="pair">
      <label class="field">
        <span class="field-head">Negative values</span>
        <select
          value={negative}
          onChange={({ currentTarget }) => onNegative(currentTarget.value as 'error' | 'keep' | 'clip')}
        >
          <option value="error">refuse</option>
          <option value="keep">keep</option>
          <option value="clip">clip to 0</option>
        </select>
      </label>
      <label class="field">
        <span class="field-head">Same coordinates</span>
        <select value={merge} onChange={({ currentTarget }) => onMerge(currentTarget.value as MergePolicy)}>
          {merges.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
