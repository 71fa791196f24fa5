/**
 * The pickups that FiveThirtyEight obtained from New York's Taxi and Limousine Commission. The addresses are those that
 * many public notebooks read; sizes and checksums are not published. Dims and count are FROSTT's for the same months.
 */
import type { Dataset } from './dataset.ts'

const REPOSITORY = 'fivethirtyeight/uber-tlc-foil-response'
const files = ['apr', 'may', 'jun', 'jul', 'aug', 'sep'].map((month) => `uber-raw-data-${month}14.csv`)

export const uber: Dataset = {
  ...{ name: 'uber-pickups', title: 'Uber pickups in New York, April to September 2014' },
  ...{ modes: 'day × hour × latitude × longitude', dims: [183, 24, 1140, 1717], entries: 3_309_490 },
  terms: 'public records, published by FiveThirtyEight; FROSTT states CC0 for the tensor',
  page: `https://github.com/${REPOSITORY}`,
  downloads: files.map((file) => ({
    url: `https://raw.githubusercontent.com/${REPOSITORY}/master/uber-trip-data/${file}`,
  })),
  files,
  options: '--recipe uber --rank 10 --test 0.1',
}
