/**
 * The engine that the user chose, CPU or GPU. Local storage holds it; every worker gets it when it starts.
 */
import { findAdapter } from 'lacuna/internal'
import type { EngineName } from './run/engine.ts'

/** The key of the choice in local storage. */
const KEY = 'lacuna.engine'

/** The chosen engine; the CPU by default. */
export const chosenEngine = (): EngineName => (localStorage.getItem(KEY) === 'gpu' ? 'gpu' : 'cpu')

/**
 * Stores the choice and reloads the page, since workers get their engine when they start. State survives the
 * reload.
 */
export function chooseEngine(name: EngineName): void {
  localStorage.setItem(KEY, name)
  location.reload()
}

/** The name of the GPU, or undefined if the browser offers none. */
export async function gpuName(): Promise<string | undefined> {
  try {
    return (await findAdapter()).name
  } catch {
    return undefined
  }
}
