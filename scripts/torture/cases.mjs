// The commands that are tortured, each with its inputs and what it writes: every command and every writer.
// @ts-check
import { TABLE } from './prepare.mjs'

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string[]} args
 * @property {string[]} outputs files that it writes, of which the first may be a folder (`folder`)
 * @property {boolean} [isModel] whether outputs are models, which hold times
 * @property {boolean} [resumes] whether it is resumed by --resume, on another number of threads
 * @property {boolean} [isUnit] whether its outputs are written together: all old or all new
 * @property {boolean} [prints] whether what it prints must be the same
 * @property {string} [folder] folder that it fills, in place of files that it replaces
 * @property {string[]} [compared] files of that folder that must be the same
 * @property {'gpu' | 'mpi' | 'server'} [needs]
 * @property {number} weight how often it is chosen; below 1 if it takes long
 */

const STEPS = ['--checkpoint-every', '0.001', '--tolerance', '0']

/** @param {string} name @param {string[]} args @param {Partial<Case>} [more] @returns {Case} */
const complete = (name, args, more = {}) => ({
  name: `complete ${name}`,
  args: ['complete', ...args, ...STEPS, '-o', 'out.npz'],
  outputs: ['out.npz'],
  isModel: true,
  resumes: true,
  weight: 3,
  ...more,
})

/** @param {string} name @param {string[]} args @param {string[]} outputs @param {Partial<Case>} [more] @returns {Case} */
const write = (name, args, outputs, more = {}) => ({ name, args, outputs, weight: 1, ...more })

const TENSOR_ENDINGS = [
  'tns',
  'tns.gz',
  'npz',
  'npy',
  'csv',
  'csv.gz',
  'tsv',
  'tsv.gz',
  'json',
  'json.gz',
  'ndjson',
  'ndjson.gz',
  'parquet',
]
const TABLE_ENDINGS = ['csv', 'tsv', 'json', 'ndjson', 'csv.gz', 'parquet']

/** All cases. @type {readonly Case[]} */
export const cases = [
  complete('tns', ['data.tns', '--rank', '4', '--epochs', '25']),
  complete('csv', ['data.csv', ...TABLE, '--rank', '3', '--epochs', '15', '--validation', '0.1']),
  complete('paper solver', ['data.tns', '--solver', 'paper', '--rank', '3', '--epochs', '12']),
  complete('zeros', ['data.tns', '--missing', 'zero', '--rank', '3', '--epochs', '8']),
  complete('folds', ['data.tns', '--rank', '2', '--folds', '3', '--epochs', '6']),
  complete('rank auto', ['data.tns', '--rank', 'auto', '--epochs', '4', '--plot', 'out.svg'], {
    outputs: ['out.npz', 'out.svg'],
  }),
  complete('best', ['data.csv', ...TABLE, '--best', '--rank', '2', '--folds', '2', '--epochs', '3']),
  complete('gpu', ['data.tns', '--rank', '4', '--epochs', '25', '--engine', 'gpu'], {
    needs: 'gpu',
    weight: 0.25,
  }),
  complete('mpi', ['data.tns', '--rank', '4', '--epochs', '400', '--threads', '1'], {
    needs: 'mpi',
    weight: 0.5,
  }),
  write('update', ['update', 'model.npz', 'more.csv', '-o', 'out.npz'], ['out.npz'], {
    isModel: true,
    weight: 2,
  }),
  write(
    'update --data',
    ['update', 'model.npz', 'more.csv', '--data', 'data.csv', '-o', 'out.npz'],
    ['out.npz'],
    { isModel: true },
  ),
  write('fold', ['fold', 'model.npz', 'more.csv', '-o', 'out.npz'], ['out.npz'], {
    isModel: true,
    weight: 2,
  }),
  ...TENSOR_ENDINGS.map((ending) =>
    write(`convert to ${ending}`, ['convert', 'data.csv', `out.${ending}`, ...TABLE], [`out.${ending}`]),
  ),
  write('convert model to csv', ['convert', 'model.npz', 'out.csv'], ['out.csv']),
  write('convert model to npy', ['convert', 'model.npz', 'out.npy'], ['out.npy']),
  ...TABLE_ENDINGS.map((ending) =>
    write(
      `predict to ${ending}`,
      ['predict', 'folds.npz', 'asked.csv', '--interval', '0.9', '-o', `out.${ending}`],
      [`out.${ending}`],
    ),
  ),
  write('predict to tns', ['predict', 'plain.npz', 'asked.tns', '-o', 'out.tns'], ['out.tns']),
  write('predict to npy', ['predict', 'plain.npz', '-o', 'out.npy'], ['out.npy']),
  ...['csv', 'json', 'parquet'].map((ending) =>
    write(
      `top to ${ending}`,
      ['top', 'model.npz', '--for', 'user', '--of', 'item', '-o', `out.${ending}`],
      [`out.${ending}`],
    ),
  ),
  ...['csv', 'parquet'].map((ending) =>
    write(`fill to ${ending}`, ['fill', 'model.npz', 'gaps.csv', '-o', `out.${ending}`], [`out.${ending}`]),
  ),
  write('fill to npy', ['fill', 'model.npz', '--slice', 'week=2', '-o', 'out.npy'], ['out.npy']),
  write('components --html', ['components', 'model.npz', '--html', 'out.html'], ['out.html'], { weight: 2 }),
  ...['tns', 'npz', 'csv', 'parquet'].map((ending) =>
    write(
      `split to ${ending}`,
      [
        'split',
        'data.csv',
        ...TABLE,
        '--test',
        '0.2',
        '--validation',
        '0.1',
        '--format',
        ending,
        '-o',
        'out',
      ],
      ['train', 'validation', 'test'].map((part) => `out.${part}.${ending}`),
      { isUnit: true, weight: 2 },
    ),
  ),
  write(
    'image',
    [
      'image',
      'photo.png',
      '--epochs',
      '3',
      '-o',
      'out.png',
      '--compare',
      'compare.png',
      '--damaged',
      'damaged.png',
    ],
    ['out.png', 'compare.png', 'damaged.png'],
    { isUnit: true, weight: 2 },
  ),
  write('demo', ['demo', '--width', '24'], ['lacuna-demo-original.png', 'lacuna-demo.png']),
  write(
    'synth',
    [
      'synth',
      '--dims',
      '20x10x5',
      '--entries',
      '300',
      '--rank',
      '2',
      '--test-entries',
      '50',
      '--test',
      'out.test.tns',
      '-o',
      'out.tns',
    ],
    ['out.tns', 'out.test.tns'],
    { isUnit: true },
  ),
  write('evaluate', ['evaluate', 'model.npz', 'folds.npz', '--test', 'test.csv', '--json'], [], {
    prints: true,
  }),
  write('info', ['info', 'data.csv', '--json'], [], { prints: true }),
  write('paper', ['paper', '--scale', 'tiny', '--only', '1', '--trials', '1', '-o', 'results'], [], {
    folder: 'results',
    compared: [
      'image-damaged.png',
      'image-fast.png',
      'image-original.png',
      'image-paper.png',
      'image-patches.png',
    ],
    weight: 0.3,
  }),
  write('data fetch', ['data', 'fetch', 'frostt-nips', '-o', 'results'], [], {
    folder: 'results',
    compared: ['nips.tns.gz'],
    needs: 'server',
  }),
]
