/** Hook: the controller of the Complete view with its worker and session, and the state that is shown. */
import { useMemo, useState } from 'preact/hooks'
import { chosenEngine } from '../../engineChoice.ts'
import { type Connection, connect } from '../../run/remote.ts'
import { listNames, loadValue, removeValues, storeValue } from '../../storage.ts'
import type { ViewProps } from '../../viewProps.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import { CompleteController } from './controller.ts'
import { SessionKeeper } from './sessionKeeper.ts'
import { SessionStore } from './sessionStore.ts'
import { type CompleteState, initialState } from './state.ts'

/** The controller, its state, its session, and the functions of the worker. */
export interface Complete {
  state: CompleteState
  controller: CompleteController
  keeper: SessionKeeper
  sessions: SessionStore
  call: Connection<CompleteFunctions>['call']
}

/** Starts the worker and the controller once, and renders when the state changes. */
export function useComplete({ showError, clearError }: ViewProps): Complete {
  const [state, setState] = useState<CompleteState>(initialState)
  const fixed = useMemo(() => {
    const connection: Connection<CompleteFunctions> = connect(
      new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module', name: 'complete' }),
      chosenEngine(),
    )
    const { call } = connection
    const sessions = new SessionStore({ listNames, loadValue, removeValues, storeValue })
    const controller: CompleteController = new CompleteController(connection, {
      onState: setState,
      showError,
      clearError,
      onData: (next) => keeper.storeData(next),
      onRunStarted: (run) => keeper.storeStart(run),
      onCheckpoint: (bytes, run) => keeper.storeCheckpoint(bytes, run),
      onRunEnded(run) {
        keeper.storeRun(run)
        keeper.dropCheckpoint()
      },
      onRunChanged: (run) => keeper.storeRun(run),
      onOwnRow: (run) => keeper.storeOwnRow(run),
      onRunShown: (run) => keeper.storeShown(run),
      onTables: (tables) => keeper.storeTables(tables),
      onRunGone: () => keeper.dropCheckpoint(),
      onRunRemoved: (run) => keeper.removeRun(run),
    })
    const keeper = new SessionKeeper(sessions, controller, call)
    void removeValues('complete.file', 'complete.run') // of versions with one session for all tabs
    void keeper.restoreLast()
    return { controller, keeper, sessions, call }
  }, [])
  return { state, ...fixed }
}
