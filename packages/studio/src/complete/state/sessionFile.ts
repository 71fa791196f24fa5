/**
 * Session files (.lacuna): a zip of the data file, how it is read, its runs with their models, and the tables beside
 * the data, so that a session opens in another browser.
 */
import { InputError } from 'lacuna'
import { findShapeFault, type Shape } from 'lacuna/internal'
import type { Remote } from '../../run/remote.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import type { SessionContent, SessionSummary } from './sessionStore.ts'
import type { RunRecord } from './state.ts'

/** The ending of session files. */
export const SESSION_ENDING = '.lacuna'

/** Whether a file is a session, by its name. */
export const isSessionFile = ({ name }: Pick<File, 'name'>): boolean =>
  name.toLowerCase().endsWith(SESSION_ENDING)

/** The functions of the worker that pack and hash files. */
type Packing = Pick<Remote<CompleteFunctions>, 'packFiles' | 'unpackFiles' | 'hashFile'>

/** The version of the format that this module writes; files of later versions are refused. */
const VERSION = 1

/** The description of a session in its file, session.json. */
interface Description extends Pick<SessionContent, 'tables'> {
  format: 'lacuna-session'
  version: number
  summary: Omit<SessionSummary, 'id'>
  /** The runs, whose models are run-0.npz, run-1.npz … */
  runs: { run: RunRecord; folded: string[] }[]
}

/** The shape of session.json. */
const descriptionShape: Shape = {
  tables: ['object'],
  summary: {
    ...{ hash: 'string', name: 'string', size: 'number', changed: 'number', runs: 'number' },
    reading: { 'choice?': 'object', 'variable?': 'string', negative: 'string', merge: 'string' },
  },
  runs: [
    {
      run: {
        ...{ id: 'number', began: 'number', 'data?': { reading: 'object' }, 'settings?': 'object' },
        ...{ status: 'string', history: ['object'], trials: ['object'], tests: ['object'] },
        ...{ 'activity?': 'string', 'kind?': 'string', 'model?': 'object', 'own?': 'object' },
      },
      folded: ['string'],
    },
  ],
}

/** The name of the n-th model in the file. */
const modelFile = (n: number): string => `run-${n}.npz`

/** Encodes a session as a file, called like its data. */
export async function encodeSession(content: SessionContent, { packFiles }: Packing): Promise<File> {
  const { summary, file, runs, tables } = content
  const { id: _, ...described } = summary
  const description: Description = {
    ...{ format: 'lacuna-session', version: VERSION, summary: described, tables },
    runs: runs.map(({ run, folded = [] }) => ({ run, folded })),
  }
  const packed = await packFiles({
    'session.json': new TextEncoder().encode(JSON.stringify(description)),
    data: file,
    ...Object.fromEntries(runs.map(({ bytes }, n) => [modelFile(n), bytes])),
  })
  return new File([packed], `${file.name.replace(/(\.\w+)?\.\w+$/, '')}${SESSION_ENDING}`)
}

/** Decodes a session file. Throws if it is none, damaged, or of a later version. */
export async function decodeSession(
  sessionFile: File,
  { unpackFiles, hashFile }: Packing,
): Promise<SessionContent> {
  const { name } = sessionFile
  const files = await unpackFiles(sessionFile)
  const description = parseDescription(files['session.json'], name)
  const { summary, runs, tables } = description
  const damaged = new InputError('format', `${name}: the session is incomplete or damaged; save it again.`)
  if (!files.data) throw damaged
  const file = new File([files.data as Uint8Array<ArrayBuffer>], summary.name)
  // A model belongs to the data that it was learned from.
  if ((await hashFile(file)) !== summary.hash) throw damaged
  return {
    ...{ summary: { ...summary, id: '' }, file, tables },
    runs: runs.map(({ run, folded }, n) => {
      const bytes = files[modelFile(n)]
      if (!bytes) throw damaged
      return { hash: summary.hash, run, folded, bytes }
    }),
  }
}

/** Parses session.json. @param name the session file, for messages */
function parseDescription(bytes: Uint8Array | undefined, name: string): Description {
  let found: Partial<Description> = {}
  try {
    found = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // A file that is no JSON fails the check of its format below.
  }
  if (found?.format !== 'lacuna-session')
    throw new InputError('format', `${name}: this is not a session that the studio has saved.`)
  if (found.version !== VERSION)
    throw new InputError(
      'format',
      `${name}: the session was saved by a later version of the studio; open it with that one.`,
    )
  const fault = findShapeFault(found, descriptionShape)
  if (fault) throw new InputError('format', `${name}: ${fault} in its session.json; save the session again.`)
  return found as Description
}
