import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exampleFolder } from '../exampleFolder.ts'
import { lacuna } from '../lacuna.ts'

const { cwd, file, run } = exampleFolder('help')

/** The long flags that a help text describes. */
const flagsIn = (text: string): string[] =>
  Array.from(text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, flag]) => flag)

it('the help of complete shows ten options on a screen or two, and --help-all every one by topic', async () => {
  const short = (await run('complete', '--help')).stdout
  expect(flagsIn(short)).toEqual([
    ...['--modes', '--value', '--merge', '--rank', '--test', '--folds', '--best', '--seconds', '--missing'],
    ...['--output', '--help-all', '--help', '--version'],
  ])
  expect(short.split('\n').length).toBeLessThan(70)
  expect(short).toMatch(/\d+ more options, by topic: lacuna complete --help-all/)
  const all = await run('complete', '--help-all')
  expect(all.code).toBe(0)
  expect(flagsIn(all.stdout).length).toBeGreaterThan(45)
  for (const text of ['Modelling:', 'Tables:', '--max-inner', 'SIGTERM', 'mpirun -n 8'])
    expect(all.stdout).toContain(text)
})

it('options that the short help leaves out still work', async () => {
  expect(
    (await run('complete', 't.tns', '--max-inner', '1', '--solver', 'paper', '--epochs', '1', '-q')).code,
  ).toBe(0)
})

it.each(['evaluate', 'split', 'fold', 'update', 'fill', 'info', 'convert'])(
  'the help of %s shows at most ten options first',
  async (command) => {
    const { stdout } = await run(command, '--help')
    expect(
      flagsIn(stdout).filter((flag) => !/^--(help|help-all|version)$/.test(flag)).length,
    ).toBeLessThanOrEqual(10)
    expect((await run(command, '--help-all')).stdout).toContain('Tables:')
  },
)

it('repeated coordinates have one option, --merge, for tables and for other files', async () => {
  writeFileSync(file('twice.tns'), '1 1 1\n1 1 3\n2 2 2\n')
  writeFileSync(file('twice.csv'), 'a,b,value\nx,y,1\nx,y,3\nz,w,2\n')
  const mean = (stdout: string): number => JSON.parse(stdout).values.max
  expect(mean((await run('info', 'twice.tns', '--merge', 'mean', '--json')).stdout)).toBe(2)
  const modes = ['--modes', 'a', 'b', '--value', 'value']
  expect(mean((await run('info', 'twice.csv', ...modes, '--merge', 'mean', '--json')).stdout)).toBe(2)
  expect((await run('complete', 'twice.tns', '--merge', 'sum', '--rank', '1', '-q')).code).toBe(0)
  expect((await run('convert', 'twice.tns', 'once.tns', '--merge', 'last')).code).toBe(0)
  const count = await run('info', 'twice.tns', '--merge', 'count')
  expect(count).toMatchObject({ code: 2, stderr: expect.stringContaining('this is no table') })
  for (const command of ['complete', 'info', 'convert', 'split'])
    expect((await run(command, '--help-all')).stdout).not.toContain('--duplicates')
})

it('the former name --duplicates is still understood', async () => {
  writeFileSync(file('twice.tns'), '1 1 1\n1 1 3\n2 2 2\n')
  const { stdout } = await run('info', 'twice.tns', '--duplicates', 'sum', '--json')
  expect(JSON.parse(stdout).values.max).toBe(4)
})

it('completion offers data sets to fetch, and models where a model is wanted', async () => {
  const { stdout } = await lacuna(['completion', 'bash'])
  writeFileSync(file('completion.bash'), stdout)
  mkdirSync(file('folder'), { recursive: true })
  const offered = (...words: string[]): string[] => {
    const program = `source completion.bash
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lacuna; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['-c', program, 'bash', 'lacuna', ...words], {
      cwd,
      encoding: 'utf8',
    })
    return stdout.split('\n').filter(Boolean)
  }
  expect(offered('data', 'fetch', 'movielens-l')).toEqual(['movielens-latest-small'])
  expect(offered('predict', '')).toEqual(['m.npz', 'folder'])
  expect(offered('predict', 'm.npz', 't.c')).toEqual(['t.csv'])
  expect(offered('complete', 't.c')).toEqual(['t.csv'])
  expect(offered('complete', 't.csv', '--initial', '')).toEqual(['m.npz', 'folder'])
  expect(offered('predict', '--output', 't.c')).toEqual(['t.csv'])
})

it('the manual page has every command and option, and man can format it', async () => {
  const { stdout, code } = await lacuna(['man'])
  expect(code).toBe(0)
  for (const text of [
    '.TH LACUNA 1',
    '.SS lacuna complete',
    '.SS lacuna data fetch',
    '\\-\\-max\\-inner',
    '\\-\\-timezone',
  ])
    expect(stdout).toContain(text)
  expect(stdout).not.toContain('\\-\\-duplicates')
  writeFileSync(file('lacuna.1'), stdout)
  const { error, status, stderr } = spawnSync('man', ['--warnings', '-l', file('lacuna.1')], {
    encoding: 'utf8',
  })
  if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('the reference in Markdown has every command and option', async () => {
  const { stdout, code } = await lacuna(['man', '--markdown'])
  expect(code).toBe(0)
  expect(stdout.match(/^## lacuna /gm)?.length).toBeGreaterThan(22)
  for (const text of ['## lacuna data fetch', '| `--max-inner <m>` |', '(one of fast, paper)', '(default: '])
    expect(stdout).toContain(text)
  expect(stdout).not.toMatch(/--duplicates|^\|[^|]*\|[^|]*<[a-z]/m)
})
