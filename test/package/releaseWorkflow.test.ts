/** The workflow of a release: what its step that publishes asks of npm, with a stand-in for npm. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { root, textOf } from '../docs/blocks.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-release-'))
afterAll(() => rmSync(cwd, { recursive: true }))

/** The script of the step of a workflow whose name begins so. */
function scriptOf(workflow: string, name: string): string {
  const [, step] = textOf(workflow).split(`- name: ${name}`)
  const lines = step.split('\n').slice(1)
  const first = lines.findIndex((line) => line.trim() === 'run: |') + 1
  const indent = /^ */.exec(lines[first])?.[0] ?? ''
  const end = lines.findIndex((line, n) => n >= first && line !== '' && !line.startsWith(indent))
  return lines
    .slice(first, end)
    .map((line) => line.slice(indent.length))
    .join('\n')
}

/** Runs the step that publishes beside packed tarballs, where a registry has these packages. @returns the calls of npm publish */
function publish(published: string): string[] {
  mkdirSync(join(cwd, 'bin'), { recursive: true })
  mkdirSync(join(cwd, 'release'), { recursive: true })
  mkdirSync(join(cwd, 'package'), { recursive: true })
  for (const name of ['lacuna', 'lacuna-cli']) {
    writeFileSync(join(cwd, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }))
    execFileSync('tar', ['-czf', `release/${name}-1.0.0.tgz`, 'package'], { cwd })
  }
  for (const name of ['lacuna.cdx.json', 'lacuna-site-1.0.0.tar.gz', 'lacuna-1.0.0-py3-none-any.whl'])
    writeFileSync(join(cwd, 'release', name), '')
  const log = join(cwd, 'calls')
  writeFileSync(log, '')
  const npm = `#!/bin/sh
    echo "$*" >> '${log}'
    case "$1 $2" in
      'config get') echo 'https://example.org/' ;;
      'view ${published}') echo 1.0.0 ;;
      view*) exit 1 ;;
    esac\n`
  writeFileSync(join(cwd, 'bin/npm'), npm, { mode: 0o755 })
  const script = scriptOf('.github/workflows/release.yml', 'Publish with provenance')
  // The shell of a step in a container.
  execFileSync('sh', ['-e', '-c', script], {
    cwd,
    env: { ...process.env, PATH: `${join(cwd, 'bin')}:${process.env.PATH}`, NODE_AUTH_TOKEN: 'x' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('publish '))
}

it('publishes both tarballs by paths that begin with ./, which npm does not take for names of repositories', () => {
  expect(publish('nothing')).toEqual([
    'publish ./release/lacuna-1.0.0.tgz --provenance --access public',
    'publish ./release/lacuna-cli-1.0.0.tgz --provenance --access public',
  ])
})

it('a second run publishes only what the first one has not', () => {
  expect(publish('lacuna@1.0.0')).toEqual([
    'publish ./release/lacuna-cli-1.0.0.tgz --provenance --access public',
  ])
})

it('both workflows give the packages the address of the repository before they build the site', () => {
  for (const name of ['release', 'site']) {
    const text = textOf(`.github/workflows/${name}.yml`)
    const at = text.indexOf('repository.url=git+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git')
    expect(at, name).toBeGreaterThan(0)
    expect(text.indexOf('npm run site'), name).toBeGreaterThan(at)
  }
  expect(JSON.parse(readFileSync(join(root, 'packages/lacuna/package.json'), 'utf8')).repository).toBe(
    undefined,
  )
})
