/** Values that are too large for the URL (a picture, a file, a model), stored by the browser in IndexedDB. */

/** The object store; its name must stay, or a new version would not find the values of the last one. */
const STORE = 'kept'

/** Opens the database, with its object store. */
function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('lacuna-studio', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/**
 * Runs one request on the object store and returns its result; undefined if the browser refuses to store.
 * @param act makes the request
 */
async function runTransaction<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  // Private windows and full disks refuse to store: then a reload loses the state, and nothing else happens.
  try {
    const database = await openDatabase()
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onerror = () => reject(transaction.error)
      transaction.onabort = () => reject(transaction.error)
    })
  } catch {
    return undefined
  }
}

/** Stores a value under a name, in place of an earlier one; does nothing if the browser refuses to store. */
export function storeValue(name: string, value: unknown): Promise<unknown> {
  return runTransaction('readwrite', (store) => store.put(value, name))
}

/** Loads the value of a name; undefined if there is none or storage is not available. */
export function loadValue<T>(name: string): Promise<T | undefined> {
  return runTransaction<T>('readonly', (store) => store.get(name))
}

/** Lists the names that begin with a prefix; none if storage is not available. */
export async function listNames(prefix: string): Promise<string[]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  const names = await runTransaction<IDBValidKey[]>('readonly', (store) => store.getAllKeys(range))
  return (names ?? []).map(String)
}

/** Removes the values of these names. */
export function removeValues(...names: string[]): Promise<unknown> {
  return Promise.all(names.map((name) => runTransaction('readwrite', (store) => store.delete(name))))
}
