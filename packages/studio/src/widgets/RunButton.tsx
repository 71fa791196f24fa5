import type { Status } from '../solving/useRun.ts'

interface Props {
  status: Status
  /** What a fresh run is called. */
  start: string
  /** What going on after the end is called. */
  goOn?: string
  disabled?: boolean
  onStart(): void
  onPause(): void
  onGoOn(): void
}

/** The one large button: start, pause, continue. */
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
