/** Pictures of any size, restored region by region. */
export { deepestFillable, type Extent, findHoles, type Holes, tooLargeHoles } from './holes.ts'
export { planRegions, type Region, tileWeight } from './plan.ts'
export { mergeEnlarged, reducePicture } from './rescale.ts'
export {
  type RegionDraft,
  type RegionOptions,
  type RegionRestoration,
  restoreRegions,
} from './restoreRegions.ts'
