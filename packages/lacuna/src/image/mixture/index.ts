/** Mixtures of Gaussians over patches of a picture. */
export { learnMixture, type PatchMixture } from './learn.ts'
export { type Choices, predictByMixture } from './predict.ts'
