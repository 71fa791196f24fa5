/** The public data sets that `lacuna data` knows; each file named here says where its facts come from. */
import { InputError } from '../../../inputError.ts'
import type { Dataset } from './dataset.ts'
import { dense } from './dense.ts'
import { frostt } from './frostt.ts'
import { movielens } from './movielens.ts'
import { uber } from './uber.ts'

export const catalogue: readonly Dataset[] = [...movielens, uber, ...frostt, ...dense]

export function findDataset(name: string): Dataset {
  const found = catalogue.find((dataset) => dataset.name === name.toLowerCase())
  if (found) return found
  const near = catalogue.filter((dataset) => dataset.name.includes(name.toLowerCase())).map((d) => d.name)
  const hint =
    near.length > 0
      ? `did you mean ${near.join(' or ')}?`
      : `there are ${catalogue.map((dataset) => dataset.name).join(', ')}.`
  throw new InputError('option', `There is no data set called ${name}; ${hint}`)
}
