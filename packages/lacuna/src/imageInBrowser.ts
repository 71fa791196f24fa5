/** lacuna/image in a browser: restores pictures with holes. */
export {
  hideAtRandom,
  holesOfAlpha,
  holesOfColour,
  holesOfMask,
  type Known,
  type Picture,
  type Quality,
  quality,
  type Restoration,
  type RestoreOptions,
  restore,
} from './image/index.ts'
