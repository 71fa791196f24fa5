/** Public data sets: the catalogue, the cache and the downloader. */
export { cacheFolder } from './cache.ts'
export { catalogue, findDataset } from './catalogue.ts'
export { type Checksum, type Dataset, type Download, downloadSize, isVerified } from './dataset.ts'
export { type FetchedDataset, type FetchOptions, fetchDataset } from './fetchDataset.ts'
