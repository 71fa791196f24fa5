/** Input and output through pipes. */
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exampleFolder, TRAIN } from './exampleFolder.ts'
import { lacuna, type Run } from './lacuna.ts'

const { cwd, file, text, run } = exampleFolder('pipes')
const pipe = (input: string | Uint8Array, ...args: string[]): Promise<Run> => lacuna(args, { cwd, input })

describe('pipes', () => {
  const MODES = ['--modes', 'who', 'what', '--value', 'rating']

  it('stdin is read as a table, array, tensor or model, by its content', async () => {
    const direct = JSON.parse((await run('info', 't.csv', ...MODES, '--json')).stdout)
    await run('convert', 't.csv', 't.npz', ...MODES, '-q')
    await run('convert', 't.csv', 'p.parquet', ...MODES, '-q')
    const table = [text('t.csv'), gzipSync(text('t.csv')), readFileSync(file('p.parquet'))]
    for (const input of table) {
      const { stdout, stderr } = await pipe(input, 'info', '-', ...MODES, '--json')
      expect({ ...JSON.parse(stdout), file: 't.csv' }, stderr).toEqual(direct)
    }
    const npz = JSON.parse((await pipe(readFileSync(file('t.npz')), 'info', '-', '--json')).stdout)
    expect({ dims: npz.dims, entries: npz.entries }).toEqual({ dims: direct.dims, entries: direct.entries })
    expect((await pipe(readFileSync(file('m.npz')), 'info', '-')).stdout).toContain(
      'stdin: a model of rank 1',
    )
    const tns = await pipe('1 1 1 5\n2 2 2 6\n', 'info', '-', '--json')
    expect(JSON.parse(tns.stdout)).toMatchObject({ file: 'stdin', dims: [2, 2, 2], entries: 2 })
    const sql = await pipe(
      text('t.csv'),
      'info',
      '-',
      '--modes',
      'upper(who)',
      'what',
      '--value',
      'rating',
      '--json',
    )
    expect(JSON.parse(sql.stdout).modes[0].labels.first).toBe('ANN')
    const trained = await pipe(text('t.csv'), 'complete', '-', ...MODES, ...TRAIN, '-o', 'piped.npz')
    expect(trained).toMatchObject({ code: 0, stderr: '' })
    const fifo = await lacuna(
      ['-c', `"${process.execPath}" "$0" info <(cat t.csv) --modes who what --value rating --json`],
      { cwd, shell: true },
    )
    expect(JSON.parse(fifo.stdout).dims).toEqual(direct.dims)
  })

  it.each(['csv', 'npz', 'parquet'])('a named pipe called .%s is read like a file', async (ending) => {
    await run('convert', 't.csv', `whole.${ending}`, ...MODES, '-q')
    const told = ending === 'npz' ? [] : MODES
    const script = `mkfifo named.${ending}; cat whole.${ending} > named.${ending} & "${process.execPath}" "$0" info named.${ending} ${told.join(' ')} --json`
    const { stdout, stderr } = await lacuna(['-c', script], { cwd, shell: true })
    expect(JSON.parse(stdout).entries, stderr).toBe(12)
  })

  it('stdout is written in the format of --format', async () => {
    expect((await run('convert', 't.tns', '-', '--format', 'csv', '-q')).stdout).toBe(
      '"mode_1","mode_2","value"\n1,1,1\n2,2,2\n1,2,3\n2,1,4\n',
    )
    const packed = await lacuna(['convert', 't.tns', '-', '--format', 'tns.gz', '-q'], { cwd, binary: true })
    expect(gunzipSync(Buffer.from(packed.stdout, 'latin1')).toString()).toBe(text('t.tns'))
    const refused = await run('convert', 't.tns', '-')
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--format'),
    })
    expect((await run('convert', 't.tns', '-', '--format', 'parquet')).stderr).toContain(
      'Parquet cannot be written to stdout',
    )
    expect((await pipe('1 1\n2 2\n', 'predict', 'm.npz', '-')).stdout.split('\n')).toHaveLength(3)
    expect(
      (await pipe(readFileSync(file('m.npz')), 'predict', '-', 't.tns')).stdout.split('\n'),
    ).toHaveLength(5)
    expect(await pipe('', 'predict', '-', '-')).toMatchObject({ code: 2 })
  })

  it.skipIf(!existsSync('/dev/full'))(
    'stdout on a full disk is reported in one sentence, and a full stderr is ignored',
    async () => {
      for (const command of [
        'info t.tns',
        'predict m.npz t.tns',
        'convert t.tns - --format csv',
        'data list',
        'info t.tns --json',
        '--help',
      ]) {
        const { code, stderr } = await lacuna(['-c', `"${process.execPath}" "$0" ${command} > /dev/full`], {
          cwd,
          shell: true,
        })
        expect({ command, code, stderr }).toEqual({
          command,
          code: 2,
          stderr: expect.stringMatching(/^(.*\n)?lacuna: stdout: there is no space left to write it; .*\n$/),
        })
      }
      const unheard = await lacuna(
        ['-c', `"${process.execPath}" "$0" convert t.tns heard.csv 2> /dev/full`],
        {
          cwd,
          shell: true,
        },
      )
      expect(unheard.code).toBe(0)
    },
  )
})
