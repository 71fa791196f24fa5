/**
 * Real data as problems for the benches, from a folder that has it; the data itself is not part of Lacuna.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readTensor, type SparseTensor, split } from 'lacuna'
import { readTable } from 'lacuna/tables'
import type { BenchProblem } from './syntheticProblems.ts'

/** Fraction of the entries that is held out, of sets without test entries. */
const HELD_OUT = 0.1

/**
 * Returns the problems whose data a folder has: movielens, uber, kinetic and hangzhou, each in a subfolder of
 * its name.
 */
export function realProblems(folder: string): BenchProblem[] {
  const paper = { epochs: 100, lambdas: [0.01, 0.1, 1] }
  const metro = (missing: number): BenchProblem => ({
    ...{ name: `hangzhou-${missing}`, rank: 15, ...paper, lambdas: [1, 100, 500] },
    async make() {
      const read = (set: string): Promise<SparseTensor> =>
        readTensor(join(folder, `hangzhou/RM${missing}.${set}.tns.gz`), { dims: [80, 108, 25] })
      return { tensor: await read('train'), test: await read('test') }
    },
  })
  const all: BenchProblem[] = [
    {
      ...{ name: 'movielens', rank: 10, ...paper },
      make: async () =>
        splitTest(await readTable(join(folder, 'movielens/ratings.csv'), { recipe: 'movielens' })),
    },
    {
      ...{ name: 'uber', rank: 10, ...paper, epochs: 20 },
      make: async () => {
        const months = ['apr', 'may', 'jun'].map((month) =>
          join(folder, `uber/uber-raw-data-${month}14.csv.gz`),
        )
        return splitTest(await readTable(months, { recipe: 'uber' }))
      },
    },
    {
      ...{ name: 'kinetic', rank: 10, ...paper },
      make: async () => splitTest(await readTensor(join(folder, 'kinetic/kinetic.npy'))),
    },
    ...[30, 70, 90].map(metro),
  ]
  return all.filter(({ name }) => existsSync(join(folder, name.replace(/-.*/, ''))))
}

/** Holds out HELD_OUT of the entries at random for test. */
function splitTest(tensor: SparseTensor): { tensor: SparseTensor; test: SparseTensor } {
  const { train, test } = split(tensor, { test: HELD_OUT }, 1)
  return { tensor: train, test }
}
