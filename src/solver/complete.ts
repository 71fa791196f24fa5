import type { SparseTensor } from '../tensor/index.ts'
import type { CompleteOptions } from './options.ts'
import { type Completion, Run } from './run.ts'

/** Learns a nonnegative model of rank R from the observed entries. */
export async function complete(tensor: SparseTensor, options: CompleteOptions = {}): Promise<Completion> {
  const run = await Run.start(tensor, options)
  try {
    for await (const report of run) options.onEpoch?.(report)
    return await run.result()
  } finally {
    await run.close()
  }
}
