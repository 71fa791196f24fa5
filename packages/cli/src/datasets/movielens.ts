/**
 * GroupLens' ratings. Sizes and SHA-256 are those of TensorFlow Datasets' list of checksums (100K, latest-
 * small, 1M, 20M, 25M); the MD5 of 10M and 32M are GroupLens' own (ml-10m.zip.md5, ml-32m.zip.md5), as
 * several public projects quote them, with the sizes they saw. Counts and terms are from each set's README.
 * The size of 10M as a tensor is the paper's; the others' are not stated anywhere: raw ids have gaps.
 */
import type { Checksum, Dataset } from './dataset.ts'

/** Address of the folder of GroupLens' zips. */
const BASE = 'https://files.grouplens.org/datasets/movielens'
/** Terms of the older editions. */
const OLD_TERMS = 'research only, no redistribution, not commercial; cite Harper and Konstan 2015'
/** Terms of the newer editions. */
const NEW_TERMS =
  'research only, redistribution on the same terms, not commercial; cite Harper and Konstan 2015'

/** Facts about one edition of MovieLens. */
interface Edition {
  /** Name of the zip without .zip: ml-…. */
  id: string
  title: string
  /** The folder in the zip, where it is not called like the zip. */
  folder?: string
  /** Names of the files with the ratings and with the terms, in that folder. */
  ratings: string
  readme: string
  entries: number
  dims?: readonly number[]
  terms: string
  /** Size of the zip in bytes. */
  byteLength: number
  checksum?: Checksum
}

const sha256 = (digest: string): Checksum => ({ algorithm: 'sha256', digest })
const md5 = (digest: string): Checksum => ({ algorithm: 'md5', digest })

/** All editions, in the order of the catalogue. */
const editions: readonly Edition[] = [
  {
    // GroupLens may replace this one at any time, so that no digest holds.
    id: 'ml-latest-small',
    title: 'MovieLens latest, small',
    entries: 100_836,
    byteLength: 978_202,
    ratings: 'ratings.csv',
    readme: 'README.txt',
    terms: NEW_TERMS,
  },
  {
    id: 'ml-100k',
    title: 'MovieLens 100K',
    entries: 100_000,
    byteLength: 4_924_029,
    ratings: 'u.data',
    readme: 'README',
    terms: OLD_TERMS,
    checksum: sha256('50d2a982c66986937beb9ffb3aa76efe955bf3d5c6b761f4e3a7cd717c6a3229'),
  },
  {
    id: 'ml-1m',
    title: 'MovieLens 1M',
    entries: 1_000_209,
    byteLength: 5_917_549,
    ratings: 'ratings.dat',
    readme: 'README',
    terms: OLD_TERMS,
    checksum: sha256('a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20'),
  },
  {
    id: 'ml-10m',
    title: 'MovieLens 10M',
    entries: 10_000_054,
    byteLength: 65_566_137,
    ratings: 'ratings.dat',
    readme: 'README.html',
    terms: OLD_TERMS,
    folder: 'ml-10M100K',
    dims: [71567, 65133, 730],
    checksum: md5('ce571fd55effeba0271552578f2648bd'),
  },
  {
    id: 'ml-20m',
    title: 'MovieLens 20M',
    entries: 20_000_263,
    byteLength: 198_702_078,
    ratings: 'ratings.csv',
    readme: 'README.txt',
    terms: NEW_TERMS,
    checksum: sha256('96f243c338a8665f6bcc89c53edf6ee39162a846940de6b7c8c48aeada765ff3'),
  },
  {
    id: 'ml-25m',
    title: 'MovieLens 25M',
    entries: 25_000_095,
    byteLength: 261_978_986,
    ratings: 'ratings.csv',
    readme: 'README.txt',
    terms: NEW_TERMS,
    checksum: sha256('8b21cfb7eb1706b4ec0aac894368d90acf26ebdfb6aced3ebd4ad5bd1eb9c6aa'),
  },
  {
    id: 'ml-32m',
    title: 'MovieLens 32M',
    entries: 32_000_204,
    byteLength: 238_950_008,
    ratings: 'ratings.csv',
    readme: 'README.txt',
    terms: NEW_TERMS,
    checksum: md5('d472be332d4daa821edc399621853b57'),
  },
]

/** Entries of the catalogue for MovieLens, named movielens-…. */
export const movielens: readonly Dataset[] = editions.map((edition) => {
  const { id, title, entries, dims, terms, byteLength, checksum, ratings, readme, folder = id } = edition
  return {
    name: id.replace('ml-', 'movielens-'),
    title,
    entries,
    terms,
    modes: 'user × movie × week',
    dims,
    page: 'https://grouplens.org/datasets/movielens/',
    downloads: [
      {
        url: `${BASE}/${id}.zip`,
        byteLength,
        checksum,
        unpack: {
          [`${folder}/${ratings}`]: ratings,
          // Titles of films; in the older editions they are not UTF-8.
          ...(ratings === 'ratings.csv' && { [`${folder}/movies.csv`]: 'movies.csv' }),
          [`${folder}/${readme}`]: readme,
        },
      },
    ],
    files: [ratings],
    options: '--recipe movielens --rank 10 --test 0.1',
  }
})
