/** Mixtures of Gaussians over patches of a picture. */
export { learnMixture, type PatchMixture } from './learn.ts'
export { type Choices, type OnRows, predictByMixture } from './predict.ts'
