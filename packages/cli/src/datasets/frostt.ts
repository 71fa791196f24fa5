/**
 * FROSTT's tensors, ready as .tns.gz. Dims, counts and terms are those of the pages' sources
 * (github.com/frostt-tensor/frostt-tensor.github.io, _tensors/*.md); the addresses are the Amazon bucket to
 * which the pages link, as many public benchmarks fetch them. FROSTT states neither sizes nor checksums of
 * its files.
 */
import type { Dataset } from './dataset.ts'

/** Address of the bucket with FROSTT's files. */
const BUCKET = 'https://s3.us-east-2.amazonaws.com/frostt/frostt_data'
/** Terms of tensors whose page states none. */
const UNSTATED = 'none stated; cite FROSTT and the authors named on the page'

/** Facts about one of FROSTT's tensors. */
interface Tensor {
  title: string
  /** Last segment of the page's address. */
  page: string
  /** Path of the file in the bucket. */
  path: string
  modes: string
  dims: readonly number[]
  entries: number
  terms?: string
}

/** FROSTT's tensors by their names after `frostt-`. */
const tensors: Readonly<Record<string, Tensor>> = {
  uber: {
    title: 'Uber pickups',
    page: 'uber-pickups',
    path: 'uber-pickups/uber.tns.gz',
    modes: 'day × hour × latitude × longitude',
    dims: [183, 24, 1140, 1717],
    entries: 3_309_490,
    terms: 'CC0',
  },
  nips: {
    title: 'NIPS publications',
    page: 'nips',
    path: 'nips/nips.tns.gz',
    modes: 'paper × author × word × year',
    dims: [2482, 2862, 14036, 17],
    entries: 3_101_609,
  },
  'chicago-crime': {
    title: 'Chicago crime',
    page: 'chicago-crime',
    path: 'chicago-crime/comm/chicago-crime-comm.tns.gz',
    modes: 'day × hour × community × type',
    dims: [6186, 24, 77, 32],
    entries: 5_330_673,
    terms: 'terms of the City of Chicago, see the page',
  },
  'lbnl-network': {
    title: 'LBNL network traffic',
    page: 'lbnl-network',
    path: 'lbnl-network/lbnl-network.tns.gz',
    modes: 'sender IP × port × receiver IP × port × second',
    entries: 1_698_825,
    dims: [1605, 4198, 1631, 4209, 868131],
  },
  vast: {
    title: 'VAST 2015 challenge',
    page: 'vast-2015-mc1',
    path: 'vast-2015-mc1/vast-2015-mc1-5d.tns.gz',
    modes: 'time × person × action × x × y',
    dims: [165427, 11374, 2, 100, 89],
    entries: 26_021_945,
  },
  enron: {
    title: 'Enron e-mails',
    page: 'enron',
    path: 'enron/enron.tns.gz',
    modes: 'sender × receiver × word × date',
    dims: [6066, 5699, 244268, 1176],
    entries: 54_202_099,
  },
  'nell-2': {
    title: 'NELL-2',
    page: 'nell-2',
    path: 'nell/nell-2.tns.gz',
    modes: 'entity × relation × entity',
    dims: [12092, 9184, 28818],
    entries: 76_879_419,
  },
  'flickr-4d': {
    title: 'Flickr tags',
    page: 'flickr',
    path: 'flickr/flickr-4d.tns.gz',
    modes: 'user × image × tag × day',
    dims: [319686, 28153045, 1607191, 731],
    entries: 112_890_310,
  },
  'delicious-4d': {
    title: 'Delicious tags',
    page: 'delicious',
    path: 'delicious/delicious-4d.tns.gz',
    modes: 'user × page × tag × day',
    dims: [532924, 17262471, 2480308, 1443],
    entries: 140_126_181,
  },
  'nell-1': {
    title: 'NELL-1',
    page: 'nell-1',
    path: 'nell/nell-1.tns.gz',
    modes: 'entity × relation × entity',
    dims: [2902330, 2143368, 25495389],
    entries: 143_599_552,
  },
  'amazon-reviews': {
    title: 'Amazon reviews',
    page: 'amazon-reviews',
    path: 'amazon/amazon-reviews.tns.gz',
    modes: 'user × product × word',
    dims: [4821207, 1774269, 1805187],
    entries: 1_741_809_018,
  },
}

/** Entries of the catalogue for FROSTT, named frostt-…. */
export const frostt: readonly Dataset[] = Object.entries(tensors).map(
  ([name, { title, page, path, modes, dims, entries, terms = UNSTATED }]) => ({
    name: `frostt-${name}`,
    title: `FROSTT: ${title}`,
    modes,
    dims,
    entries,
    terms,
    page: `http://frostt.io/tensors/${page}/`,
    downloads: [{ url: `${BUCKET}/${path}` }],
    files: [path.slice(path.lastIndexOf('/') + 1)],
    options: '--rank 10 --test 0.1',
  }),
)
