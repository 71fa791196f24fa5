/**
 * Values of this tab, stored by the browser, so that two tabs with two pictures do not mix. The session storage of a
 * tab holds its name; a duplicated tab takes another one, as the first one holds a lock with its name.
 */
import { loadValue, removeValues, storeValue } from '../storage.ts'
import { takeLock } from '../tabLock.ts'

/** The key of the tab's name in session storage, and of the times at which tabs were used in local storage. */
const TAB_KEY = 'lacuna.restore.tab'
const USED_KEY = 'lacuna.restore.tabs'
/** The values of a tab that was not used for this time are removed. */
const FORGET_MS = 7 * 24 * 3600 * 1000
/** All names that a tab stores; regions have a number after their name. */
const NAMES = ['picture', 'edits', 'result', 'run'] as const
/** The most regions that are stored. */
export const MOST_REGIONS = 60

/** Names of stored values. */
export type StoredName = (typeof NAMES)[number] | `region${number}`

let tab: Promise<string> | undefined

/** The name of this tab. */
const tabName = (): Promise<string> => (tab ??= chooseName())

/** Returns the name in session storage, or a new one if there is none or another tab has it. */
async function chooseName(): Promise<string> {
  const before = sessionStorage.getItem(TAB_KEY)
  const name = before && (await lock(before)) ? before : await newName()
  sessionStorage.setItem(TAB_KEY, name)
  forgetOldTabs(name)
  return name
}

/** Returns a name that no tab has, and locks it. */
async function newName(): Promise<string> {
  const name = Math.random().toString(36).slice(2)
  await lock(name)
  return name
}

/** Locks a name until the tab is closed; returns false if another tab has it. */
const lock = async (name: string): Promise<boolean> =>
  (await takeLock(`lacuna.restore.${name}`)) !== undefined

/** Removes the values of tabs that were not used for long, and notes that this one is used. */
function forgetOldTabs(current: string): void {
  const used = JSON.parse(localStorage.getItem(USED_KEY) ?? '{}') as Record<string, number>
  for (const [name, time] of Object.entries(used)) {
    if (Date.now() - time < FORGET_MS) continue
    void removeValues(...allNames().map((each) => keyOf(name, each)))
    delete used[name]
  }
  localStorage.setItem(USED_KEY, JSON.stringify({ ...used, [current]: Date.now() }))
}

/** The names of all values that a tab may have. */
const allNames = (): StoredName[] => [
  ...NAMES,
  ...Array.from({ length: MOST_REGIONS }, (_, n): StoredName => `region${n}`),
]

/** The key of a value in the database. */
const keyOf = (name: string, value: StoredName): string => `restore.${value}@${name}`

/** Stores a value of this tab. */
export async function storeHere(name: StoredName, value: unknown): Promise<void> {
  await storeValue(keyOf(await tabName(), name), value)
}

/** Loads a value of this tab; undefined if there is none. */
export async function loadHere<T>(name: StoredName): Promise<T | undefined> {
  return loadValue<T>(keyOf(await tabName(), name))
}

/** Removes values of this tab; without names, all of them. */
export async function removeHere(...names: StoredName[]): Promise<void> {
  const tab = await tabName()
  await removeValues(...(names.length > 0 ? names : allNames()).map((name) => keyOf(tab, name)))
}
