/** Finds out whether the body of a `predict` request, or its answer, is an Arrow stream. The thread that answers decodes it. */
import type { ArrowUse } from '../threads/protocol.ts'
import { ARROW } from './body.ts'

/** The Arrow use of a request by its headers and the parameters of its address; undefined if it has none. */
export function arrowUse(
  isRequest: boolean,
  accept: string | undefined,
  parameters: Readonly<Record<string, string>>,
): ArrowUse | undefined {
  const asksFor = (type: string): boolean => (accept ?? '').toLowerCase().includes(type)
  const isAnswer = asksFor(ARROW) || (isRequest && !asksFor('application/json'))
  if (!isRequest && !isAnswer) return undefined
  const options = Object.entries(parameters).map(([name, text]) => [name, parseParameter(text)])
  return { isRequest, isAnswer, options: Object.fromEntries(options) }
}

/** A parameter as JSON has it: a number, true or false, or a text. */
function parseParameter(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}
