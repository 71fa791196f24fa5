import { figure, seconds, short } from '../numbers.ts'
import type { Progress } from '../solving/solving.ts'

/** How the solver is doing. */
export function RunFigures({ last, known }: { last: Progress; known: string }) {
  return (
    <>
      <Figure name={known} value={figure(last.train.relative)} />
      {last.validation && <Figure name="Error of the held-out" value={figure(last.validation.relative)} />}
      <Figure name="Epochs" value={last.epoch.toFixed(last.epoch < 10 ? 1 : 0)} />
      <Figure name="Entries per second" value={short(last.entriesPerSecond)} />
      {last.card ? (
        <Figure name="Card" value={last.card} />
      ) : (
        <Figure name="Threads" value={String(last.threads)} />
      )}
      <Figure name="Time" value={seconds(last.seconds)} />
    </>
  )
}

export function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
