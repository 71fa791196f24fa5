import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lacuna } from './lacuna.ts'

const help = async (command: string, columns?: string, flag = '--help'): Promise<string[]> => {
  const { code, stdout } = await lacuna([...command.split(' ').filter(Boolean), flag], {
    env: { COLUMNS: columns ?? '' },
  })
  expect(code).toBe(0)
  return stdout.split('\n')
}
const commands = [
  '',
  'complete',
  'predict',
  'info',
  'convert',
  'split',
  'image',
  'synth',
  'paper',
  'data',
  'completion',
]

describe('help', () => {
  it.each(commands)('help fits 80 columns, or as many as there are: lacuna %s', async (command) => {
    for (const columns of [undefined, '60', '100']) {
      const widths = (await help(command, columns)).map((line) => line.length)
      expect(Math.max(...widths)).toBeLessThanOrEqual(Number(columns ?? 80))
    }
    expect(Math.max(...(await help('complete', '100')).map((line) => line.length))).toBeGreaterThan(80)
  })

  it('help of all options of complete has every one under a heading', async () => {
    const lines = await help('complete', undefined, '--help-all')
    const headings = lines.filter((line) => /^[A-Z].*:$/.test(line))
    expect(headings).toEqual(expect.arrayContaining(['Modelling:', 'Tables:', 'Output:']))
    const others = lines.slice(lines.indexOf('Options:') + 1, lines.indexOf('Global Options:'))
    expect(others.filter((line) => line.trim() !== '').map((line) => line.trim())).toEqual([
      expect.stringMatching(/^--help-all/),
      expect.stringMatching(/^-h, --help/),
    ])
  })

  it('help breaks examples where a shell allows it', async () => {
    const lines = await help('complete', '60')
    const text = lines
      .slice(lines.indexOf('Examples:'))
      .join('\n')
      .replace(/ \\\n +/g, ' ')
    expect(text).toContain(
      '  lacuna complete ratings.tns --rank 20 --validation 0.1 --patience 5 -o model.npz\n',
    )
    // Also before another command, and never within quotation marks.
    const serve = (await help('serve', '60')).join('\n').replace(/ \\\n +/g, ' ')
    expect(serve).toContain(
      `  echo '{"operation": "top", "request": {"of": "film"}}' | lacuna serve films.npz --stdio\n`,
    )
  })
})

describe('completion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-completion-'))
  const script = (shell: string) => join(folder, `completion.${shell}`)
  beforeAll(async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await lacuna(['completion', shell])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      writeFileSync(script(shell), stdout)
    }
    writeFileSync(join(folder, 'ratings of june.csv'), '')
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** What bash offers for the last of the words. */
  function offered(...words: string[]): string[] {
    const program = `source ${script('bash')}
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lacuna; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', program, 'bash', 'lacuna', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout.split('\n').filter(Boolean)
  }

  it.each<[string[], string[]]>([
    [['comp'], ['complete', 'components', 'completion']],
    [['complete', '--max'], ['--max-inner']],
    [
      ['complete', '--solver', ''],
      ['fast', 'paper'],
    ],
    [['complete', 'x.csv', '--rank', '5', '--merge', 'm'], ['mean']],
    [['complete', '--rank', ''], []],
    [['complete', 'rat'], ['ratings of june.csv']],
    [['complete', '-o', 'rat'], ['ratings of june.csv']],
    [['data', 'fe'], ['fetch']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['image', 'complete', '--comp'], ['--compare']],
  ])('completion in bash offers for %j: %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected)
  })

  it.each(['zsh', 'fish'])('completion prints a script that %s accepts, where it is installed', (shell) => {
    const { status, stderr, error } = spawnSync(shell, ['-n', script(shell)], { encoding: 'utf8' })
    if (!error) expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it('completion is refused for other shells', async () => {
    const { code, stderr } = await lacuna(['completion', 'tcsh'])
    expect(code).toBe(2)
    expect(stderr).toContain('Allowed choices are bash, zsh, fish')
  })
})
