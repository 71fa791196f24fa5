/**
 * lacuna/client: a typed client of `lacuna serve`. It needs fetch alone, so that it runs in Node, in browsers and on
 * the edge.
 */
import type { Label, NewEntry, Quality, Ranked, Similar, TopOptions } from '../model/index.ts'

/** A cell: the label of each mode by its name, or one index from 0 per mode. */
export type Cell = Readonly<Record<string, Label>> | readonly number[]

/** The server's description of a model. */
export interface ServedModelInfo {
  /** Name, by which it is asked. */
  name: string
  /** Per mode, its name, its number of rows, and its first and last label. */
  modes: { name: string; size: number; first: string; last: string }[]
  /** R, the number of components; of an ensemble, that of its first model. */
  rank: number
  /** Number of models of an ensemble; 1 for a single one. */
  members: number
  /** Property of entries that holds the value. */
  value: string
  /** Number of training entries, if known. */
  entries?: number
  /** Smallest and largest training value, if known. */
  range?: [number, number]
  /** Number of updates that the model includes. */
  updates: number
  /** Whether the server takes no updates. */
  isReadOnly: boolean
}

/** A component as a server describes it. */
export interface ServedComponent {
  /** Number from 1, the largest first. */
  number: number
  /** Fraction of all predictions that is due to it. */
  share: number
  /** In how many models of an ensemble it is found. */
  found?: { in: number; of: number }
  /** Per mode, the rows that are most specific to it. */
  modes: {
    name: string
    strongest: { row: number; label: string; weight: number; lift: number; entries?: number }[]
  }[]
}

/** Errors of a model on entries. */
export interface ServedEvaluation extends Quality {
  /** Number of entries that were left out, as the model does not know one of their rows. */
  unknown: number
  /** Errors of predictions without a model. */
  baselines: (Quality & { name: string })[]
}

/** The answer to a fold-in. */
export interface FoldInAnswer {
  /** Labels of the new rows by mode. */
  newRows: Record<string, string[]>
  /** Answer to the question of `top`, if there was one. */
  top?: { rows: Ranked[] }
  /** Predictions of `cells`, if there were any. */
  predictions?: number[]
}

/** The acknowledgement of an update. */
export interface UpdateAnswer {
  /** Number of the update, from 1. */
  sequence: number
  /** Number of its entries. */
  entries: number
  /** Labels of new rows by mode. */
  newRows: Record<string, string[]>
}

/** A question of `top` to a server. */
export type TopQuestion = Omit<TopOptions, 'exclude'> & {
  /** Labels that are left out; none by default. */
  exclude?: readonly Label[]
}

/** Options of `connect`. */
export interface ConnectOptions {
  /** Bearer token, if the server needs one. */
  token?: string
  /** Aborts requests; none by default. */
  signal?: AbortSignal
  /** The function that sends requests; the global fetch by default. */
  fetch?: typeof fetch
}

/** A request that the server has refused or could not answer. */
export class ServiceError extends Error {
  /** The name of the class, 'ServiceError'. */
  override name = 'ServiceError'
  /** Status of the response: 400 for a wrong request, 503 for a server that is busy. */
  readonly status: number

  /**
   * @param status status of the response
   * @param message the sentence of the server
   */
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A server of models. */
export interface Service {
  /** Lists the models. */
  models(): Promise<ServedModelInfo[]>
  /** The model of this name; whether the server has it turns out at the first question. */
  model(name: string): ServedModel
}

/** Questions to a model of a server. */
export interface ServedModel {
  /** Asks the server for its description of the model. */
  info(): Promise<ServedModelInfo>
  /** Predicts cells. */
  predict(cells: readonly Cell[], options?: { clip?: boolean }): Promise<number[]>
  /**
   * Predicts any number of cells, which are sent in parts; a cell that the model does not know gives the sentence
   * about it as `error`.
   */
  predictEach(
    cells: Iterable<Cell> | AsyncIterable<Cell>,
  ): AsyncGenerator<{ prediction: number; error?: undefined } | { prediction?: undefined; error: string }>
  /** The rows of a mode with the largest predictions. */
  top(question: TopQuestion): Promise<Ranked[]>
  /** The rows of a mode that are most similar to one of them. */
  similar(mode: string, label: Label, options?: { n?: number; minEntries?: number }): Promise<Similar[]>
  /** The components, the one with the largest share first. */
  components(options?: { strongest?: number; minEntries?: number }): Promise<ServedComponent[]>
  /** Solves new rows from their entries, and answers questions about them; nothing is stored. */
  foldIn(
    entries: readonly NewEntry[],
    questions?: { top?: TopQuestion; cells?: readonly Cell[]; value?: string },
  ): Promise<FoldInAnswer>
  /** Learns from new entries; resolves when they are on the server's disk and in all later answers. */
  update(entries: readonly NewEntry[], options?: { value?: string }): Promise<UpdateAnswer>
  /** Measures errors on entries. */
  evaluate(
    entries: readonly NewEntry[],
    options?: { value?: string; clip?: boolean },
  ): Promise<ServedEvaluation>
  /** Reads the file of the model again. @param options discard: sets updates of another version aside */
  reload(options?: { discard?: boolean }): Promise<ServedModelInfo>
}

/** Cells that `predictEach` sends at a time. */
const CELLS_AT_A_TIME = 5000

/**
 * Connects to a server that `lacuna serve` has started.
 * @param url address, as in `http://127.0.0.1:4243`
 */
export function connect(url: string, options: ConnectOptions = {}): Service {
  const { token, signal, fetch: send = fetch } = options
  const base = url.endsWith('/') ? url : `${url}/`

  /** Sends a request; throws a ServiceError unless it is answered. */
  async function request(path: string, body?: string, type = 'application/json'): Promise<Response> {
    const response = await send(`${base}v1/models${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'Content-Type': type }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (response.ok) return response
    throw new ServiceError(response.status, await sentenceOf(response))
  }

  /** Sends JSON and returns the answer. */
  const ask = async <T>(path: string, body?: object): Promise<T> =>
    (await request(path, body && JSON.stringify(body))).json() as Promise<T>

  return {
    models: async () => (await ask<{ models: ServedModelInfo[] }>('')).models,
    model(name) {
      const path = `/${encodeURIComponent(name)}`
      return {
        info: () => ask(path),
        predict: async (cells, more) =>
          (await ask<{ predictions: number[] }>(`${path}/predict`, { cells, ...more })).predictions,
        async *predictEach(cells) {
          for await (const lines of inParts(cells)) {
            const response = await request(`${path}/predict`, lines, 'application/x-ndjson')
            for (const line of (await response.text()).split('\n')) if (line !== '') yield JSON.parse(line)
          }
        },
        top: async (question) => (await ask<{ rows: Ranked[] }>(`${path}/top`, question)).rows,
        similar: async (mode, label, more) =>
          (await ask<{ rows: Similar[] }>(`${path}/similar`, { mode, label, ...more })).rows,
        components: async (more = {}) =>
          (await ask<{ components: ServedComponent[] }>(`${path}/components`, more)).components,
        foldIn: (entries, questions) => ask(`${path}/fold-in`, { entries, ...questions }),
        update: (entries, more) => ask(`${path}/update`, { entries, ...more }),
        evaluate: (entries, more) => ask(`${path}/evaluate`, { entries, ...more }),
        reload: (more = {}) => ask(`${path}/reload`, more),
      }
    },
  }
}

/** The sentence of a response that is no answer. */
async function sentenceOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    return String((JSON.parse(text) as { error: string }).error)
  } catch {
    return text || `The server has answered with the status ${response.status}.`
  }
}

/** Yields cells as lines of JSON, CELLS_AT_A_TIME at a time. */
async function* inParts(cells: Iterable<Cell> | AsyncIterable<Cell>): AsyncGenerator<string> {
  let lines = ''
  let count = 0
  for await (const cell of cells) {
    lines += `${JSON.stringify(cell)}\n`
    if (++count % CELLS_AT_A_TIME > 0) continue
    yield lines
    lines = ''
  }
  if (lines !== '') yield lines
}
