import { stat } from 'node:fs/promises'

export const fileExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
