/** Pictures: holes, restoration and quality. */
export { countHidden, hideAtRandom, holesOfAlpha, holesOfColour, holesOfMask } from './damage.ts'
export { drawFacade } from './facade.ts'
export type { Known, Picture } from './picture.ts'
export { type Quality, quality } from './quality.ts'
export { paperSettings, type Restoration, type RestoreOptions, restore, type Stage } from './restore.ts'
export { blacken, sideBySide } from './sideBySide.ts'
