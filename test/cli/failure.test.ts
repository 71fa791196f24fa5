import { expect, it, vi } from 'vitest'
import { explainFailure, Interrupted } from '#cli/process/failure.ts'
import { InputError } from '#lacuna/base/inputError.js'

/** The exit code of a failure, and what is written of it. */
function failed(error: unknown): { code: number; written: string } {
  let written = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += text
    return true
  })
  try {
    return { code: explainFailure(error), written }
  } finally {
    write.mockRestore()
  }
}

it('the exit code of a failure is 2 for what the user can mend, that of a signal, and 1 for a fault of the program', () => {
  expect(failed(new InputError('option', 'The rank is 0.'))).toEqual({
    code: 2,
    written: 'lacuna: The rank is 0.\n',
  })
  expect(failed(new Interrupted(130))).toEqual({ code: 130, written: '' })
  expect(failed(Object.assign(new Error('too many'), { code: 'EMFILE' }))).toEqual({
    code: 2,
    written: expect.stringMatching(/^lacuna: The system allows no more open files; .*\n$/),
  })
  expect(failed(new RangeError('Array buffer allocation failed'))).toMatchObject({ code: 2 })
  const { code, written } = failed(new TypeError('x is not a function'))
  expect(code).toBe(1)
  expect(written).toContain('this is a fault in lacuna')
  expect(written).toContain('x is not a function')
})
