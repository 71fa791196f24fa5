/** The state of the Complete view: types, selectors, the controller and the hook that a view uses. */
export { CompleteController, type ControllerHooks } from './controller.ts'
export { type Action, reduce } from './reducer.ts'
export { isSessionFile, SESSION_ENDING } from './sessionFile.ts'
export { MOST_STORED_BYTES, type SessionKeeper } from './sessionKeeper.ts'
export type { SessionContent, SessionStore, SessionSummary } from './sessionStore.ts'
export * from './state.ts'
export { sessionsInUse } from './tabSession.ts'
export { type Complete, useComplete } from './useComplete.ts'
