/**
 * The Dockerfile without docker: its steps name files and scripts that exist, and the commands of the image run in a folder
 * that is laid out as it lays it out. CI builds the image where docker is (.github/workflows/ci.yml).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const steps = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .flatMap((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1) ?? [])
const all = (name: string): string[] => steps.filter((_, n) => n % 2 === 1 && steps[n - 1] === name)
const folder = mkdtempSync(join(tmpdir(), 'lacuna-image-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('the Dockerfile builds with a Node that the packages allow, and with scripts that exist', () => {
  expect(all('FROM').every((image) => /^node:20-bookworm-slim( AS \w+)?$/.test(image))).toBe(true)
  expect(about.engines.node).toMatch(/^>=20\./)
  for (const [, script] of all('RUN')[0].matchAll(/npm run (\w+)/g))
    expect(Object.keys(about.scripts)).toContain(script)
  // What is built is not taken from the machine that builds the image.
  expect(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['.git', 'node_modules', '**/node_modules', '**/dist']),
  )
})

it('the command of the image runs where the Dockerfile puts it', () => {
  // COPY --from=built /lacuna/packages /lacuna/packages, as links; RUN ln -s …; CMD […]
  for (const copied of all('COPY').slice(1)) {
    const [, path] = /--from=built \/lacuna\/(\S+) \/lacuna\/\1$/.exec(copied)!
    mkdirSync(join(folder, 'lacuna'), { recursive: true })
    symlinkSync(join(root, path), join(folder, 'lacuna', path))
  }
  mkdirSync(join(folder, 'bin'))
  const [, target] = /ln -s \/(\S+) \/usr\/local\/bin\/lacuna/.exec(all('RUN').join('\n'))!
  expect(existsSync(join(folder, target))).toBe(true)
  symlinkSync(join(folder, target), join(folder, 'bin/lacuna'))
  const [command, ...args]: string[] = JSON.parse(all('CMD')[0])
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  expect(execFileSync(command, args, { encoding: 'utf8', env })).toContain('lacuna complete')
  expect(about.version).toBe(execFileSync(command, ['--version'], { encoding: 'utf8', env }).trim())
})
