/**
 * Access control: requests need the bearer token; without one, they must come from this machine and not from the
 * page of another site.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

/** Hosts that only this machine can reach. */
export const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]']

/** SHA-256 of a text, so that texts of any lengths are compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Makes a function that returns the status and sentence that refuse a request, or undefined if it is allowed.
 * Without a token, the request must name a loopback host (a page that has rebound its name does not) and must not
 * come from a page of another site.
 */
export function guard(token: string | undefined): (headers: RequestHeaders) => Refusal | undefined {
  if (token === undefined)
    return ({ host = '', site }) => {
      const name = host.replace(/:\d+$/, '').toLowerCase()
      if (!LOOPBACK.includes(name))
        return {
          status: 403,
          message: 'Without --token only this machine may ask, by a name such as 127.0.0.1.',
        }
      if (site === 'cross-site' || site === 'same-site')
        return { status: 403, message: 'Pages of other sites may not ask this server.' }
    }
  const expected = digest(token)
  return ({ authorization = '' }) => {
    const [, given] = /^Bearer (.+)$/i.exec(authorization) ?? []
    if (given === undefined)
      return { status: 401, message: 'This server needs a token, in the header Authorization: Bearer TOKEN.' }
    if (!timingSafeEqual(digest(given), expected)) return { status: 401, message: 'The token is wrong.' }
  }
}

/** The headers that decide. */
export interface RequestHeaders {
  host?: string
  authorization?: string
  /** Sec-Fetch-Site, which browsers send. */
  site?: string
}

/** Why a request is refused. */
export interface Refusal {
  status: 401 | 403
  message: string
}
