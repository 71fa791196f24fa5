/** A check of an engine belongs to no test framework: it runs in Node, in a page, and in a process of a job. */
import type { MakeEngine } from './judge.ts'

export interface EngineCheck {
  name: string
  check(make: MakeEngine): Promise<void>
}

/** A check that compares engines of the same kind: all must give the same bits. */
export interface VariantCheck {
  name: string
  check(variants: readonly Variant[]): Promise<void>
}

export interface Variant {
  name: string
  make: MakeEngine
  /** Every process has one for itself: those that follow need not ask it. */
  isOwn?: true
}
