/** The sessions that the browser has stored: reopened and deleted here. */
import { formatCount } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import { type SessionKeeper, type SessionStore, type SessionSummary, sessionsInUse } from '../state/index.ts'

interface Props {
  sessions: SessionStore
  keeper: SessionKeeper
  showError(error: unknown): void
}

/** A time in the user's own form, to the minute. */
const formatTime = (time: number): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A list of the sessions; nothing if there are none. Sessions of this and other tabs cannot be deleted. */
export function SessionsCard({ sessions, keeper, showError }: Props) {
  const [listed, setListed] = useState<readonly (SessionSummary & { isInUse: boolean })[]>([])
  /** Reads the list from the store. */
  const refresh = async (): Promise<void> => {
    const inUse = await sessionsInUse()
    setListed((await sessions.list()).map((session) => ({ ...session, isInUse: inUse.includes(session.id) })))
  }
  useEffect(() => void refresh().catch(showError), [])
  if (listed.length === 0) return null
  /** Opens a session in this tab. */
  const reopen = async (id: string): Promise<void> => {
    if (!(await keeper.reopen(id))) showError(new Error('This session could not be opened again.'))
  }
  return (
    <section class="stack tight earlier" aria-label="Sessions">
      <h3>Earlier sessions</h3>
      <ul class="sessions">
        {listed.map(({ id, name, changed, runs, isInUse }) => (
          <li key={id}>
            <span>
              <b>{name}</b>
              <small class="soft">
                {formatTime(changed)},{' '}
                {runs === 0 ? 'no run' : runs === 1 ? '1 run' : `${formatCount(runs)} runs`}
                {isInUse && ', open in a tab'}
              </small>
            </span>
            <span class="buttons">
              <button
                type="button"
                class="button"
                disabled={isInUse}
                aria-label={`Reopen ${name}`}
                onClick={() => void reopen(id)}
              >
                Reopen
              </button>
              <button
                type="button"
                class="button quiet"
                disabled={isInUse}
                aria-label={`Delete ${name}`}
                onClick={() => void sessions.remove(id).then(refresh)}
              >
                Delete
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
