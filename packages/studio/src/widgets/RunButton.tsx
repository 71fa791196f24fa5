/** Button that starts, pauses and continues a run. */
import type { Status } from '../run/useRun.ts'

interface Props {
  status: Status
  /** The text before the first start. */
  start: string
  /** The text after the end of a run. */
  goOn?: string
  disabled?: boolean
  onStart(): void
  onPause(): void
  onGoOn(): void
}

/** A button whose text and action depend on the status of the run. */
export function RunButton({ status, start, goOn = 'Go on', disabled, onStart, onPause, onGoOn }: Props) {
  const [text, act] = {
    idle: [start, onStart] as const,
    running: ['Pause', onPause] as const,
    paused: ['Continue', onGoOn] as const,
    done: [goOn, onGoOn] as const,
  }[status]
  return (
    <button type="button" class="button primary" disabled={disabled} onClick={act}>
      {text}
    </button>
  )
}
