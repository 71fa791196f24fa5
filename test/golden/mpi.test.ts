/** Same bits as the last release, on three processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startJob } from '../lacuna/engine/mpi/job.ts'
import bits from './bits.json' with { type: 'json' }
import { cases, inputs } from './cases.ts'
import { digestOfArrays } from './digests.ts'

const main = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))

it('three processes of Open MPI give the bits that one process of the last release gave', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-golden-mpi-'))
  for (const [name, text] of Object.entries(inputs())) writeFileSync(join(folder, name), text)
  const model = join(folder, 'model.npz')
  const [command, file, ...options] = cases.validation.split(' ')
  const args = [main, command, join(folder, file), ...options, '-q', '-o', model]
  const { code, stderr } = await startJob('Open MPI', 3, args).ended
  expect({ code, stderr }).toMatchObject({ code: 0 })
  expect(digestOfArrays(model)).toBe(bits.commands.validation)
  rmSync(folder, { recursive: true })
})
