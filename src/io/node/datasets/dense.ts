/**
 * Full arrays of measurements with some missing. Kinetic: the two files that TensorLy's load_kinetic reads from its
 * repository; dims and terms are given there. Hangzhou: the file that transdim's notebooks load from theirs. Both need
 * a step by hand, because neither marks what is missing as NaN.
 */
import type { Dataset } from './dataset.ts'

const TENSORLY = 'https://raw.githubusercontent.com/tensorly/tensorly/main/tensorly/datasets/data'
const TRANSDIM = 'https://raw.githubusercontent.com/xinychen/transdim/master/datasets'

export const dense: readonly Dataset[] = [
  {
    ...{
      name: 'kinetic',
      title: 'Kinetic fluorescence, by TensorLy',
      dims: [64, 12, 10, 60],
      entries: 459_046,
    },
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
    ...{ name: 'hangzhou-metro', title: 'Hangzhou metro passengers, by transdim', dims: [80, 25, 108] },
    ...{ modes: 'station × day × time slot', entries: 209_763, terms: 'MIT (the repository); cite X. Chen' },
    page: 'https://github.com/xinychen/transdim',
    downloads: [{ url: `${TRANSDIM}/Hangzhou-data-set/tensor.mat` }],
    files: ['hangzhou.npy'],
    options: '--rank 10 --test 0.1',
    preparation:
      "python3 -c \"import numpy, scipy.io; x = scipy.io.loadmat('tensor.mat')['tensor'].astype('f4'); x[x == 0] = numpy.nan; numpy.save('hangzhou.npy', x)\"",
  },
]
