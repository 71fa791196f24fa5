import { expect } from 'vitest'
import type { InputErrorCode } from '#lacuna/base/inputError.js'

/** Matches the InputError with this message and, where it is given, this code. */
export const refusal = (message: string, code?: InputErrorCode): Error =>
  expect.objectContaining({ name: 'InputError', message, ...(code && { code }) })
