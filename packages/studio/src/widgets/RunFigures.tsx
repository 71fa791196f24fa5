/** The list of a run's numbers: errors, epochs, speed and time. */
import { abbreviateNumber, formatNumber, formatSeconds } from 'lacuna-figures/numbers'
import type { Progress } from '../run/interactiveRun.ts'

/**
 * Errors, epochs, speed and time of a run, as entries of a <dl>.
 * @param known the name of the training error
 */
export function RunFigures({ last, known }: { last: Progress; known: string }) {
  return (
    <>
      <Figure name={known} value={formatNumber(last.train.relative)} />
      {last.validation && (
        <Figure name="Error of the held-out" value={formatNumber(last.validation.relative)} />
      )}
      <Figure name="Epochs" value={last.epoch.toFixed(last.epoch < 10 ? 1 : 0)} />
      <Figure name="Entries per second" value={abbreviateNumber(last.entriesPerSecond)} />
      {last.gpu ? (
        <Figure name="GPU" value={last.gpu} />
      ) : (
        <Figure name="Threads" value={String(last.threads)} />
      )}
      <Figure name="Time" value={formatSeconds(last.seconds)} />
    </>
  )
}

/** A name and its value. */
function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
