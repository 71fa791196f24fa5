/** lacuna/image in a browser: pictures with holes, restored. */
export {
  blacken,
  drawFacade,
  hideAtRandom,
  holesOfAlpha,
  holesOfColour,
  holesOfMask,
  type Known,
  type Picture,
  paperSettings,
  type Quality,
  quality,
  type Restoration,
  type RestoreOptions,
  restore,
  type Stage,
  sideBySide,
} from './image/index.ts'
