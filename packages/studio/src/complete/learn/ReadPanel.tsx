/** Panel that chooses how the opened tensor is read; a table has its own card (data/UnderstoodCard.tsx). */
import { PolicyFields } from '../data/PolicyFields.tsx'
import type { Opened, ReadSettings } from '../protocol.ts'

interface Props {
  content: Opened
  reading: ReadSettings
  onChange(reading: ReadSettings): void
}

/** The policies for negative values and equal coordinates of a tensor. */
export function ReadPanel({ content, reading, onChange }: Props) {
  if (content.kind !== 'tensor') return null
  return (
    <PolicyFields
      negative={reading.negative}
      onNegative={(negative) => onChange({ ...reading, negative })}
      merge={reading.merge}
      onMerge={(merge) => onChange({ ...reading, merge })}
    />
  )
}
