/**
 * Trials of settings, for dynamic imports alone: bundlers warn about a dynamic import of a module that other
 * modules import statically, as those of `lacuna/folds` do.
 */
export { chooseSettings } from '../select/choose.ts'
