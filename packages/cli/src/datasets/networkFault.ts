/**
 * What can go wrong between two machines: which faults may pass by themselves, and what to say of those that
 * do not.
 */
import { InputError } from 'lacuna'
import { option, type Sentence, sentence } from 'lacuna/internal'

/** A fault after which another try makes sense. */
export class PassingFault extends Error {}

const PASSING_CODES = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
])

export function isPassing(error: unknown): boolean {
  return error instanceof PassingFault || PASSING_CODES.has(codeOf(error))
}

/** An answer that is no file. */
export function explainStatus(status: number, url: string): Error {
  if (status === 408 || status === 429 || status >= 500)
    return new PassingFault(`The server answers ${status}`)
  if (status === 404 || status === 410)
    return new InputError(
      'network',
      sentence`${url}: the server has no such file (${status}); it has moved, give ${option('url')} or ${option('mirror')}.`,
    )
  if (status === 401 || status === 403)
    return new InputError(
      'network',
      sentence`${url}: the server does not hand it out (${status}); give ${option('url')} or ${option('mirror')}.`,
    )
  return new InputError(
    'network',
    sentence`${url}: the server answers ${status} instead of the file; give ${option('url')} or ${option('mirror')}.`,
  )
}

/** A sentence for faults of the network; any other error comes back as it is. */
export function explainNetworkError(error: unknown, url: string): unknown {
  if (error instanceof InputError) return error
  if (error instanceof PassingFault)
    return new InputError(
      'network',
      `${url}: ${lowerFirst(error.message)}, again and again; try later, what has come is kept.`,
      {
        cause: error,
      },
    )
  const code = codeOf(error)
  return code === ''
    ? error
    : new InputError('network', sentence`${url}: ${networkSentence(code)}`, { cause: error })
}

function networkSentence(code: string): Sentence {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return sentence`the name of the server cannot be looked up; check the network and the address${proxyHint()}.`
  if (code === 'ECONNREFUSED')
    return sentence`the server refuses the connection; check the address${proxyHint()}.`
  if (
    code.startsWith('CERT_') ||
    code.includes('CERT') ||
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL')
  )
    return sentence`the server's certificate is not valid (${code}); try later, or give ${option('mirror')}.`
  if (PASSING_CODES.has(code))
    return sentence`the connection broke, again and again (${code}); try later, what has come is kept${proxyHint()}.`
  return sentence`the download failed (${code}); try later, or give ${option('mirror')}${proxyHint()}.`
}

/** Node takes no notice of proxies unless told to. */
function proxyHint(): Sentence {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy } = process.env
  return (HTTPS_PROXY ?? https_proxy ?? HTTP_PROXY ?? http_proxy)
    ? sentence` (your proxy is not used: Node 24.5 does so with NODE_USE_ENV_PROXY=1; else fetch the file by other means and give ${option('mirror')})`
    : []
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
