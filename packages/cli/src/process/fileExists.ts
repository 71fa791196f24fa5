/** Existence of files. */
import { stat } from 'node:fs/promises'

/** Whether a file or folder exists and can be reached. */
export const fileExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
