/** The packages as npm packs them, installed into empty folders. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

export interface Packed {
  /** Removed in the end. */
  folder: string
  library: string
  cli: string
  remove(): void
}

/** Runs a program to its end; a failure has what it said. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd, maxBuffer: 2 ** 26, env: environment() })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error })
  }
}

/** Without what npm tells the scripts that it runs, this one among them. */
function environment(): NodeJS.ProcessEnv {
  const told = Object.entries(process.env).filter(
    ([name]) => !/^npm_(package|lifecycle|command|execpath)/.test(name),
  )
  return { ...Object.fromEntries(told), NODE_OPTIONS: '' }
}

export const node = (cwd: string, ...args: string[]): Promise<string> => run(cwd, process.execPath, ...args)

/** Packs both; they have been built before the tests are run. */
export async function pack(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-package-'))
  await node(ROOT, 'scripts/stage.mjs')
  const packages = ['./packages/lacuna', './packages/cli']
  const options = ['--pack-destination', folder, '--ignore-scripts', '--json']
  const said = await run(ROOT, 'npm', 'pack', ...packages, ...options)
  const [library, cli] = JSON.parse(said.slice(said.indexOf('['))).map(({ filename }: { filename: string }) =>
    join(folder, filename),
  )
  return { folder, library, cli, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A folder with nothing but these packages. */
export async function install(parent: string, name: string, ...packages: string[]): Promise<string> {
  const folder = join(parent, name)
  mkdirSync(folder)
  write(folder, 'package.json', '{ "private": true, "type": "module" }')
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...packages)
  return folder
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
