/** Runs the trials of the experiments that are not done yet, and collects the results of all. */
import { basename } from 'node:path'
import { version } from 'lacuna'
import { drawFacade, hardwareThreads } from 'lacuna/internal'
import {
  type ExperimentSettings,
  type PaperResults,
  RESULTS_FORMAT,
  RESULTS_VERSION,
  type ScaleName,
} from 'lacuna-figures/results'
import { judgeClaims } from './claims.ts'
import { collectConvergence, convergenceGroups } from './experiments/convergence.ts'
import { fingerprint, openRealData, readPicture } from './experiments/data.ts'
import type { Group } from './experiments/group.ts'
import { collectImage, imageGroups } from './experiments/image.ts'
import { collectTiming, timingGroups } from './experiments/timing.ts'
import { describeMachine } from './machine.ts'
import { experimentSettings } from './scales.ts'
import { type Conditions, openStore, type TrialStore } from './trialStore.ts'

/** Options of runPaper. */
export interface PaperOptions {
  /** Folder of the trials and results. */
  folder: string
  scale: ScaleName
  /** Numbers of the figures, 1 to 4. */
  figures: readonly number[]
  /** Trials of each setting of figures 2 to 4; undefined for the default of the scale. */
  trials?: number
  /** Numbers of threads for figures 3 and 4; the others run on all cores. */
  threads: readonly number[]
  seed: number
  /** Path of the picture of figure 1; undefined for one that is drawn. */
  image?: string
  /** Path of the real data of figure 2, if any. */
  movielens?: string
  /** Paths of the real data of figures 3 and 4, if any. */
  uber?: readonly string[]
  /** Discards the trials of earlier runs. */
  force: boolean
  signal: AbortSignal
  /** Called with a progress line. */
  onProgress: (line: string) => void
  /** Called with a notice. */
  onRemark: (line: string) => void
}

/**
 * Runs the trials that the folder does not hold yet, and returns the results of all trials in it. Throws if
 * the signal is aborted: finished trials stay in the folder.
 */
export async function runPaper(options: PaperOptions): Promise<PaperResults> {
  const { folder, scale, threads, trials, seed } = options
  const settings = experimentSettings(scale, threads, trials)
  const store = await openStore(folder, await conditionsOf(options), options.force)
  await runGroups(groupsOf(options, settings), store, options)
  return collectResults(store, settings, scale, seed)
}

/**
 * Returns the conditions that all trials of a folder share: settings, fingerprints of the input files,
 * version and machine. Figures and the number of trials are not among them: they may grow.
 */
async function conditionsOf({
  scale,
  seed,
  threads,
  image,
  movielens,
  uber,
}: PaperOptions): Promise<Conditions> {
  const { cpu, cores } = describeMachine()
  return {
    ...{ '--scale': scale, '--seed': String(seed), '--threads': threads.join() },
    ...(image === undefined ? {} : { '--image': await fingerprint([image]) }),
    ...(movielens === undefined ? {} : { '--movielens': await fingerprint([movielens]) }),
    ...(uber === undefined ? {} : { '--uber': await fingerprint(uber) }),
    ...{ lacuna: version, machine: `${cpu} (${cores} cores)` },
  }
}

/** Lists the groups of trials of the chosen figures. */
function groupsOf(options: PaperOptions, settings: ExperimentSettings): Group[] {
  const { figures, folder, seed, image, movielens, uber } = options
  const threads = hardwareThreads()
  const { width, height } = settings.image
  const groups: Group[] = []
  if (figures.includes(1))
    groups.push(
      ...imageGroups({
        ...{ settings: settings.image, seed, threads, folder },
        source: image === undefined ? 'drawn' : basename(image),
        make: async (progress) => {
          progress(image === undefined ? 'Figure 1: drawing the picture' : `Figure 1: reading ${image}`)
          const maxPixels = options.scale === 'full' ? Infinity : width * height
          return image === undefined ? drawFacade(width, height) : readPicture(image, maxPixels)
        },
      }),
    )
  if (figures.includes(2)) {
    const real = movielens === undefined ? undefined : openRealData([movielens], 'movielens')
    groups.push(...convergenceGroups({ settings: settings.convergence, seed, threads, real }))
  }
  if (figures.includes(3) || figures.includes(4)) {
    const real = uber === undefined ? undefined : openRealData(uber, 'uber')
    groups.push(...timingGroups({ settings: settings.timing, seed, real }))
  }
  return groups
}

/** Runs the trials that the store does not hold, and writes each into it when it is finished. */
async function runGroups(
  groups: readonly Group[],
  store: TrialStore,
  { signal, onProgress, onRemark }: PaperOptions,
): Promise<void> {
  const unfinished: { group: Group; missing: number[] }[] = []
  let [left, done] = [0, 0]
  for (const group of groups) {
    const missing: number[] = []
    for (const [index, { id }] of group.trials.entries()) if (!(await store.has(id))) missing.push(index)
    if (missing.length > 0) unfinished.push({ group, missing })
    left += missing.length
    done += group.trials.length - missing.length
  }
  if (done > 0) onRemark(`${store.folder} holds ${done} of ${done + left} trials already.`)
  for (const { group, missing } of unfinished) {
    signal.throwIfAborted()
    const session = await group.open(onProgress)
    try {
      for (const index of missing) {
        signal.throwIfAborted()
        const { id, label } = group.trials[index]
        const report = (what: string): void =>
          onProgress(`${group.figure}: ${label} (${left} ${left === 1 ? 'trial' : 'trials'} left): ${what}`)
        report('starting')
        await store.write(id, await session.run(index, report, signal))
        left--
      }
    } finally {
      await session.close()
    }
  }
}

/** Collects the stored trials of all figures, with the machine and the verdicts on the paper's claims. */
async function collectResults(
  store: TrialStore,
  settings: ExperimentSettings,
  scale: ScaleName,
  seed: number,
): Promise<PaperResults> {
  const image = await collectImage(store.read)
  const convergence = await collectConvergence(settings.convergence, store.read)
  const timing = await collectTiming(settings.timing, store.read)
  const measured = { image, convergence, timing }
  const machine = describeMachine()
  return {
    ...{ format: RESULTS_FORMAT, version: RESULTS_VERSION, lacuna: version, scale, seed, settings, machine },
    ...measured,
    claims: judgeClaims({ machine, ...measured }),
  }
}
