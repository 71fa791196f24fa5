/** What the page solves on, as its visitor chose it: kept by the browser, and told to every worker. */
import { findAdapter } from 'lacuna/internal'
import type { EngineName } from './solving/engine.ts'

const KEY = 'lacuna.engine'

export const chosenEngine = (): EngineName => (localStorage.getItem(KEY) === 'gpu' ? 'gpu' : 'cpu')

/** Workers have their engine from the start: the page begins anew, and finds everything as it was. */
export function chooseEngine(name: EngineName): void {
  localStorage.setItem(KEY, name)
  location.reload()
}

/** The card's name, if the browser shows one. */
export async function cardName(): Promise<string | undefined> {
  try {
    return (await findAdapter()).name
  } catch {
    return undefined
  }
}
