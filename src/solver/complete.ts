import type { SparseTensor } from '../tensor/index.ts'
import { type Chosen, chooseSettings, choosesByDefault } from './choose.ts'
import { type CompleteOptions, settingsOf } from './options.ts'
import { Run } from './run.ts'
import type { Completion } from './runState.ts'

/** Learns a nonnegative model of rank R from the observed entries. */
export async function complete(tensor: SparseTensor, given: CompleteOptions = {}): Promise<Completion> {
  settingsOf(given)
  const { choose = choosesByDefault(given), onEpoch, ...asked } = given
  const { options, choice, state }: Chosen = choose ? await chooseSettings(tensor, asked) : { options: asked }
  const run = await (state ? Run.resume(state, tensor, options) : Run.start(tensor, options))
  try {
    for await (const report of run) onEpoch?.(report)
    const result = await run.result()
    if (!choice) return result
    result.model.training.choice = choice
    return { ...result, choice }
  } finally {
    await run.close()
  }
}
