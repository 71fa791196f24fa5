/** The checkpoint of a search by folds: JSON and the bytes of the unfinished runs, in a frame. */
import { InputError } from '../../../base/inputError.ts'
import { findShapeFault, type Shape } from '../../../base/jsonShape.ts'
import { decodeRun, encodeRun, readSettings, writableSettings } from '../../run/checkpoint.ts'
import { type FrameKind, frame, isFramed, unframe } from '../../run/frame.ts'
import type { Settings } from '../../settings/settings.ts'
import { foldByShape, foldTrialShape } from '../trials.ts'
import type { SearchState } from './searchOptions.ts'

/** First line and version of the file. */
const KIND: FrameKind = { magic: 'lacuna folds\n', version: 1, what: 'saved run' }

/** The JSON of the checkpoint. */
interface Header extends Omit<SearchState, 'runs'> {
  /** Bytes of each fold's run; 0 where it has not begun. */
  runs: number[]
}

/** The shape that the JSON of a checkpoint must have. */
const headerShape: Shape = {
  settings: 'object',
  folds: 'number',
  starts: 'number',
  by: foldByShape,
  seconds: 'number',
  trials: [foldTrialShape],
  'capped?': [['number']],
  'times?': { last: { size: 'number', seconds: 'number', 'setUp?': 'number' }, best: 'number' },
  'trial?': 'string',
  runs: ['number'],
}

/**
 * Encodes the state of a search as the bytes of a file, in pieces that are to be written one after another.
 */
export function encodeSearch({ runs, ...rest }: SearchState): Uint8Array[] {
  const encoded = runs.map((run) => (run ? encodeRun(run) : []))
  const lengths = encoded.map((pieces) => pieces.reduce((sum, { length }) => sum + length, 0))
  const header: Header = { ...rest, settings: writableSettings(rest.settings) as Settings, runs: lengths }
  return frame(KIND, header, encoded.flat())
}

/** Whether bytes are the checkpoint of a search, not of one run. */
export const isSearch = (bytes: Uint8Array): boolean => isFramed(KIND, bytes)

/**
 * Decodes the bytes that `encodeSearch` made; throws an InputError if they are no such file or damaged.
 * @param name of the file, for error messages
 */
export function decodeSearch(bytes: Uint8Array, name: string): SearchState {
  const { header, body } = unframe(KIND, bytes, name)
  const fault = findShapeFault(header, headerShape)
  if (fault) throw new InputError('format', `${name}: ${fault}; this is no run that Lacuna saved.`)
  const { runs, settings, ...rest } = header as Header
  let at = 0
  return {
    ...rest,
    settings: readSettings(settings, name),
    runs: runs.map((length) => {
      const encoded = body.subarray(at, at + length)
      at += length
      return length === 0 ? undefined : decodeRun(encoded, name)
    }),
  }
}
