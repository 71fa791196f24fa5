/** The damage of a picture as edits that can be undone, and the panel that chooses it. */
export { DamagePanel } from './DamagePanel.tsx'
export { damageDrawer } from './drawDamage.ts'
export {
  addEdit,
  addFirstEdit,
  type Damage,
  type DamageKind,
  damageName,
  type Edit,
  FIRST_TEXT,
  nextSeed,
} from './edits.ts'
export { changeState, type History, redo, startHistory, undo } from './history.ts'
