/** Commands that are printed start with the words by which the program was started. */
import { afterEach, expect, it, vi } from 'vitest'
import { invocation } from '#cli/process/invocation.ts'

afterEach(() => vi.unstubAllEnvs())

it.each([
  ['installed', { npm_command: '', npm_config_package: '' }, 'lacuna'],
  ['by npx of a project', { npm_command: 'exec', npm_config_package: '' }, 'npx lacuna'],
  [
    'by npx of a package',
    { npm_command: 'exec', npm_config_package: 'lacuna-cli' },
    'npx --package lacuna-cli lacuna',
  ],
])('%s', (_, environment, words) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  expect(invocation('/usr/bin/node', '/somewhere/bin/lacuna').join(' ')).toBe(words)
})
