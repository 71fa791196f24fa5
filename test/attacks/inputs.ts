/** Broken inputs for every reader and command. */
import { npyAttacks, npzAttacks } from './arrayAttacks.ts'
import type { Attack } from './attack.ts'
import { commandAttacks } from './commandAttacks.ts'
import { modelAttacks } from './modelAttacks.ts'
import { tableAttacks } from './tableAttacks.ts'
import { tnsAttacks } from './tnsAttacks.ts'

export type { Attack } from './attack.ts'
export { imageAttacks } from './imageAttacks.ts'
export { parquetAttacks } from './tableAttacks.ts'

export function* attacks(): Generator<Attack> {
  yield* tnsAttacks()
  yield* npyAttacks()
  yield* npzAttacks()
  yield* modelAttacks()
  yield* tableAttacks()
  yield* commandAttacks()
}
