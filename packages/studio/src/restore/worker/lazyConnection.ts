/** A connection to a worker that is started at the first call. */
import type { Connection } from '../../run/remote.ts'

/** Returns a connection that starts its worker by `start` when a function is called for the first time. */
// biome-ignore lint/suspicious/noExplicitAny: any function may be called
export function lazyConnection<F extends Record<string, (...args: any[]) => unknown>>(
  start: () => Connection<F>,
): Connection<F> {
  let connection: Connection<F> | undefined
  const waiting: ((started: Connection<F>) => void)[] = []
  const connect = (): Connection<F> => {
    if (!connection) {
      connection = start()
      for (const listen of waiting) listen(connection)
    }
    return connection
  }
  return {
    call: new Proxy({} as Connection<F>['call'], {
      get:
        (_, name: string) =>
        (...args: never[]) =>
          connect().call[name](...(args as unknown as Parameters<F[string]>)),
    }),
    callUntil: (signal) => connect().callUntil(signal),
    onEvent(name, handle) {
      let stop = (): void => {}
      let isOver = false
      const listen = (started: Connection<F>): void => {
        if (!isOver) stop = started.onEvent(name, handle)
      }
      if (connection) listen(connection)
      else waiting.push(listen)
      return () => {
        isOver = true
        stop()
      }
    },
  }
}
