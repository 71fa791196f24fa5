/** Hook: shows remarks of the engines in the page's notice, such as that the GPU was lost. */
import { useEffect } from 'preact/hooks'
import { onRemark } from '../run/remarks.ts'

/** Calls `show` with every remark of an engine, in whichever worker it runs. */
export function useRemarks(show: (remark: string) => void): void {
  useEffect(() => onRemark(show), [])
}
