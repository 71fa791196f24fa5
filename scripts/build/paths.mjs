// Where the build finds sources and puts results, relative to the repository.
// @ts-check
export const SOURCES = 'packages/lacuna/src'
/** The library as tsc compiles it; what the package `lacuna` ships. */
export const DIST = 'packages/lacuna/dist'
/** The bundled command and the studio; what the package `lacuna-cli` ships. */
export const CLI_DIST = 'packages/cli/dist'
export const STUDIO_DIST = `${CLI_DIST}/studio`
export const BENCH_DIST = 'bench/dist'
/** Private packages that are bundled from their sources. */
export const FIGURES = 'packages/figures/src'
export const STUDIO_POLICY = 'packages/studio/policy.ts'
/** Intermediate results, and a stamp per step: the hash of what it was built from. */
export const CACHE = 'node_modules/.cache/lacuna'
