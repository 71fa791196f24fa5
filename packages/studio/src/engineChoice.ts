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

/**
 * The name of the GPU; undefined if the browser offers none, or only an emulation on the CPU such as SwiftShader,
 * which is far slower than the CPU engine. Tests get that, too, by ?gpu=software in the address.
 */
export async function gpuName(): Promise<string | undefined> {
  try {
    const { name, isSoftware } = await findAdapter()
    const isSoftwareAsked = new URLSearchParams(location.search).get('gpu') === 'software'
    return isSoftware && !isSoftwareAsked ? undefined : name
  } catch {
    return undefined
  }
}
