/** What is too large for the URL (a picture, a file, a model) is kept by the browser, on this machine. */

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('lacuna-studio', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('kept')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function withStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  // Private windows and full disks refuse: then a reload forgets, and nothing else happens.
  try {
    const database = await open()
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction('kept', mode)
      const request = act(transaction.objectStore('kept'))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onerror = () => reject(transaction.error)
      transaction.onabort = () => reject(transaction.error)
    })
  } catch {
    return undefined
  }
}

export function keep(name: string, value: unknown): Promise<unknown> {
  return withStore('readwrite', (store) => store.put(value, name))
}

export function recall<T>(name: string): Promise<T | undefined> {
  return withStore<T>('readonly', (store) => store.get(name))
}

export function forget(...names: string[]): Promise<unknown> {
  return Promise.all(names.map((name) => withStore('readwrite', (store) => store.delete(name))))
}
