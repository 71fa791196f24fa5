/**
 * Types of the engine's checks. They belong to no test framework: they run in Node, in a page, and in MPI
 * jobs.
 */
import type { MakeEngine } from './judge.ts'

/** A check that an engine of any kind must pass. */
export interface EngineCheck {
  name: string
  /** Makes engines and closes them; rejects if one fails the check. */
  check(make: MakeEngine): Promise<void>
}

/** A check that compares engines of the same kind: all must give the same bits. */
export interface VariantCheck {
  name: string
  check(variants: readonly Variant[]): Promise<void>
}

/** One of the engines that a VariantCheck compares. */
export interface Variant {
  name: string
  make: MakeEngine
  /** Set if each process of an MPI job has its own: only rank 0, which compares, needs to run it. */
  isLocal?: true
}
