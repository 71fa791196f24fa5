/** The catalogue of public data sets; the sources of its facts are in the comments. */
import { InputError } from 'lacuna'
import type { Dataset } from './dataset.ts'
import { frostt } from './frostt.ts'
import { movielens } from './movielens.ts'

/** Repository of the Uber pickups on GitHub. */
const REPOSITORY = 'fivethirtyeight/uber-tlc-foil-response'
/** Names of the files of the Uber pickups, one per month. */
const uberFiles = ['apr', 'may', 'jun', 'jul', 'aug', 'sep'].map((month) => `uber-raw-data-${month}14.csv`)
/** Address of the folder of TensorLy's data. */
const TENSORLY = 'https://raw.githubusercontent.com/tensorly/tensorly/main/tensorly/datasets/data'
/** Address of the folder of transdim's data. */
const TRANSDIM = 'https://raw.githubusercontent.com/xinychen/transdim/master/datasets'

/**
 * The pickups that FiveThirtyEight obtained from New York's Taxi and Limousine Commission. The addresses are
 * those that many public notebooks read; sizes and checksums are not published. Dims and count are FROSTT's
 * for the same months.
 */
const uber: Dataset = {
  name: 'uber-pickups',
  title: 'Uber pickups in New York, April to September 2014',
  modes: 'day × hour × latitude × longitude',
  dims: [183, 24, 1140, 1717],
  entries: 3_309_490,
  terms: 'public records, published by FiveThirtyEight; FROSTT states CC0 for the tensor',
  page: `https://github.com/${REPOSITORY}`,
  downloads: uberFiles.map((file) => ({
    url: `https://raw.githubusercontent.com/${REPOSITORY}/master/uber-trip-data/${file}`,
  })),
  files: uberFiles,
  options: '--recipe uber --rank 10 --test 0.1',
}

/**
 * Full arrays of measurements with some missing. Kinetic: the two files that TensorLy's load_kinetic reads
 * from its repository; dims and terms are given there. Hangzhou: the file that transdim's notebooks load from
 * theirs. Both need a step by hand, because neither marks what is missing as NaN.
 */
const dense: readonly Dataset[] = [
  {
    name: 'kinetic',
    title: 'Kinetic fluorescence, by TensorLy',
    dims: [64, 12, 10, 60],
    entries: 459_046,
    modes: 'sample × emission × excitation × time',
    terms: 'public use; cite Nikolajsen et al. 2003',
    page: 'https://ucphchemometrics.com/datasets/',
    downloads: ['Kinetic.npy', 'Kinetic_missing.npy'].map((file) => ({ url: `${TENSORLY}/${file}` })),
    files: ['kinetic-nan.npy'],
    options: '--negative clip --rank 10 --test 0.1',
    preparation:
      'Kinetic.npy has zeros where Kinetic_missing.npy says that nothing was measured: save it as kinetic-nan.npy with NaN there.',
  },
  {
    name: 'hangzhou-metro',
    title: 'Hangzhou metro passengers, by transdim',
    dims: [80, 25, 108],
    modes: 'station × day × time slot',
    entries: 209_763,
    terms: 'MIT (the repository); cite X. Chen',
    page: 'https://github.com/xinychen/transdim',
    downloads: [{ url: `${TRANSDIM}/Hangzhou-data-set/tensor.mat` }],
    files: ['hangzhou.npy'],
    options: '--rank 10 --test 0.1',
    preparation:
      "python3 -c \"import numpy, scipy.io; x = scipy.io.loadmat('tensor.mat')['tensor'].astype('f4'); x[x == 0] = numpy.nan; numpy.save('hangzhou.npy', x)\"",
  },
]

/** All data sets, in the order of `lacuna data list`. */
export const catalogue: readonly Dataset[] = [...movielens, uber, ...frostt, ...dense]

/** Finds a data set by name, in any case; throws for an unknown name, and proposes similar ones. */
export function findDataset(name: string): Dataset {
  const found = catalogue.find((dataset) => dataset.name === name.toLowerCase())
  if (found) return found
  const similar = catalogue.filter((dataset) => dataset.name.includes(name.toLowerCase())).map((d) => d.name)
  const hint =
    similar.length > 0
      ? `did you mean ${similar.join(' or ')}?`
      : `there are ${catalogue.map((dataset) => dataset.name).join(', ')}.`
  throw new InputError('option', `There is no data set called ${name}; ${hint}`)
}
