/** Reader and writer of results.json. */
import { InputError } from 'lacuna'
import { findShapeFault, type Shape } from 'lacuna/internal'
import { type PaperResults, RESULTS_FORMAT, RESULTS_VERSION } from './results.ts'

/** The shape of a DataDescription. */
const data: Shape = { source: 'string', dims: ['number'], entries: 'number' }
/** The shape of a Curve. */
const curve: Shape = { epoch: ['number'], seconds: ['number'], observed: ['number'], hidden: ['number'] }
/** The shape of a PictureQuality. */
const quality: Shape = { relative: 'number', psnr: 'number' }

/** The shape of results.json, without its format and version. */
const results: Shape = {
  lacuna: 'string',
  scale: 'string',
  seed: 'number',
  settings: {
    image: {
      height: 'number',
      width: 'number',
      rank: 'number',
      sample: 'number',
      lambda: 'number',
      epochs: 'number',
      missing: 'number',
    },
    convergence: {
      ...{ dims: ['number'], entries: 'number', rank: 'number', samples: ['number'], lambda: 'number' },
      ...{ epochs: 'number', snrDb: ['number'], trials: 'number' },
    },
    timing: {
      ...{ dims: ['number'], entries: 'number', ranks: ['number'], sample: 'number', lambda: 'number' },
      ...{ threads: ['number'], trials: 'number' },
    },
  },
  machine: { cpu: 'string', cores: 'number', memoryBytes: 'number', platform: 'string', node: 'string' },
  'image?': {
    ...{ data, mean: quality, pictures: { original: 'string', damaged: 'string' } },
    runs: [
      {
        ...{ method: 'string', rank: 'number', sample: 'number or auto', lambda: 'number or auto' },
        ...{ seconds: 'number', quality, 'curve?': curve, picture: 'string' },
      },
    ],
  },
  'convergence?': {
    problems: [
      {
        ...{
          name: 'string',
          data,
          hiddenEntries: 'number',
          snrDb: 'number or null',
          peakMemoryBytes: 'number',
        },
        series: [
          {
            ...{ solver: 'string', sample: 'number or auto', lambda: 'number or auto' },
            trials: [{ trial: 'number', curve }],
          },
        ],
      },
    ],
  },
  'timing?': {
    problems: [
      {
        ...{
          name: 'string',
          data,
          rowBalance: [{ threads: 'number', speedUp: 'number' }],
          peakMemoryBytes: 'number',
        },
        series: [{ solver: 'string', rank: 'number', threads: 'number', seconds: ['number'] }],
      },
    ],
  },
  claims: [{ id: 'string', figure: 'number', statement: 'string', verdict: 'string', evidence: 'string' }],
}

/**
 * Parses and checks a results.json.
 * @param where the file's name for messages
 * @throws InputError if it is not one, or of another version
 */
export function parseResults(text: string, where = 'results.json'): PaperResults {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InputError(
      'format',
      `${where}: this is no JSON (${(error as Error).message}); make it again with lacuna paper.`,
    )
  }
  const { format, version } = (value ?? {}) as Partial<PaperResults>
  if (format !== RESULTS_FORMAT)
    throw new InputError('format', `${where}: these are no results of lacuna paper; name its results.json.`)
  if (version !== RESULTS_VERSION)
    throw new InputError(
      'format',
      `${where}: this is version ${version} of the results, and this lacuna reads version ${RESULTS_VERSION}; use the lacuna that made it.`,
    )
  const fault = findShapeFault(value, results)
  if (fault) throw new InputError('format', `${where}: ${fault}; make it again with lacuna paper.`)
  return value as PaperResults
}

/** Formats results as JSON: one field per line, lists of numbers on one line. */
export function formatResults(results: PaperResults): string {
  const text = JSON.stringify(results, null, 2)
  return `${text.replace(/\[[-+.\deE,\s]*\]/g, (list) => list.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'))}\n`
}
