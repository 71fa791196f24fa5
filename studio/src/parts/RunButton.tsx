import type { Status } from '../solving/useRun.ts'

interface Props {
  status: Status
  /** What a fresh run is called. */
  start: string
  disabled?: boolean
  onStart(): void
  onPause(): void
  onGoOn(): void
}

/** The one large button: start, pause, continue. */
export function RunButton({ status, start, disabled, onStart, onPause, onGoOn }: Props) {
  const [text, act] = {
    idle: [start, onStart] as const,
    running: ['Pause', onPause] as const,
    paused: ['Continue', onGoOn] as const,
    done: ['Go on', onGoOn] as const,
  }[status]
  return (
    <button type="button" class="button primary" disabled={disabled} onClick={act}>
      {text}
    </button>
  )
}
