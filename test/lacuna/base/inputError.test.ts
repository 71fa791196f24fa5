import { expect, it } from 'vitest'
import { asFlag } from '#cli/process/failure.ts'
import { InputError, option, sentence } from '#lacuna/base/inputError.js'

const error = new InputError(
  'value',
  sentence`line ${3}: it is -1; allow it with ${option('negative', 'keep', 'clip')}, or look at ${option('maxInner')}.`,
)

it('An InputError prints options as in TypeScript and has a code', () => {
  expect(error.message).toBe(
    "line 3: it is -1; allow it with negative: 'keep' or 'clip', or look at maxInner.",
  )
  expect(error).toMatchObject({ name: 'InputError', code: 'value' })
})

it('An InputError prints options as flags for the command line', () => {
  expect(error.in(asFlag)).toBe(
    'line 3: it is -1; allow it with --negative keep or clip, or look at --max-inner.',
  )
})

it('An InputError keeps its code and options when a file name is put before it', () => {
  const within = error.within('a.tns')
  expect(within.message).toMatch(/^a\.tns: line 3: /)
  expect(within.in(asFlag)).toContain('--negative keep or clip')
  expect(within).toMatchObject({ code: 'value', cause: error })
})

it('An InputError is one line, whatever a file has in its names', () => {
  const broken = new InputError('table', sentence`a.csv: there is no column ${'x\ny\u001b[31m'}.`)
  expect(broken.message).toBe(String.raw`a.csv: there is no column x\ny\x1b[31m.`)
  expect(broken.in(asFlag)).toBe(broken.message)
})
