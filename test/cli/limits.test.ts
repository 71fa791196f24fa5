/** Limits of the system and of the program are reported in one sentence. */
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exampleFolder } from './exampleFolder.ts'
import { lacuna } from './lacuna.ts'

const { cwd, file, run } = exampleFolder('limits')

describe('no stack trace', () => {
  it.each([
    [['info', 'many.tns'], 'many.tns, line 1: 200001 columns; a tensor has at most 256 modes.'],
    [['convert', 'many.tns', 'x.npz'], 'many.tns, line 1: 200001 columns'],
    [['image', 'huge.png', '-o', 'x.png'], 'huge.png: the file has 3221225472 bytes, more than a picture'],
  ])('input beyond the limits is refused in one sentence: %j', async ([...args], message) => {
    writeFileSync(file('many.tns'), `${'1 '.repeat(200_000)}1\n`)
    writeFileSync(file('huge.png'), '')
    truncateSync(file('huge.png'), 3 * 2 ** 30)
    const { code, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^lacuna: [^\n]*\n$/) })
    expect(stderr).toContain(message)
    rmSync(file('huge.png'))
  })

  it.skipIf(process.platform !== 'linux').each([
    [
      '-v 1000000',
      'complete t.tns --rank 1',
      'of addresses, most of them with no memory behind them, but 977 MiB are allowed',
    ],
    ['-v 4000000', 'demo --width 32', 'but 3.8 GiB are allowed; allow more with ulimit -v unlimited.'],
    ['-v 20000000', 'complete t.tns --rank 1', 'allow more with ulimit -v unlimited.'],
    ['-n 256', 'complete t.tns --rank 1 --threads 100', 'need about 400 open files, but 256 are allowed'],
  ])(
    'a limit of the system is reported in one sentence: ulimit %s, lacuna %s',
    async (limit, command, message) => {
      const { code, stderr } = await lacuna(
        ['-c', `ulimit ${limit}; "${process.execPath}" "$0" ${command}`],
        {
          cwd,
          shell: true,
        },
      )
      expect(code).toBe(2)
      expect(stderr.split('\n').filter((line) => line.startsWith('lacuna: '))).toEqual([
        expect.stringContaining(message),
      ])
      expect(stderr).not.toMatch(/\n +at |Fatal|fault/)
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'complete runs under ulimit -n 256 with as many threads as the message says it allows',
    async () => {
      const { code, stderr } = await lacuna(
        ['-c', `ulimit -n 256; "${process.execPath}" "$0" complete t.tns --rank 1 --epochs 1 --threads 50`],
        { cwd, shell: true },
      )
      expect({ code, stderr }).toMatchObject({ code: 0 })
    },
  )
})
