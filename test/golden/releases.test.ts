/** Files that any release has written open forever, with the content that they had; its checkpoints continue to the bits that it would have reached. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readTensor } from 'lacuna'
import { describe, expect, it } from 'vitest'
import { decodeSession } from '../../packages/studio/src/complete/state/sessionFile.ts'
import { hashStream } from '../../packages/studio/src/complete/worker/hashStream.ts'
import { packFiles, unpackFiles } from '../../packages/studio/src/complete/worker/packFiles.ts'
import { contentOfFile, resultOf, type settings } from './releaseFiles.mjs'

const releases = fileURLToPath(new URL('./releases/', import.meta.url))
const packing = { packFiles, unpackFiles, hashFile: (file: File) => hashStream(file.stream()) }

/** Files of every release. */
const COMMON = ['model.npz', 'ensemble.npz', 'run.run', 'data.npz', 'data.tns', 'data.parquet']
/** Files of every release since 1.0. */
const SINCE_1 = ['best.run', 'session.lacuna', 'data.arrow', 'data.h5', 'data.nc', 'data.xlsx']

describe.each(readdirSync(releases))('the files of release %s', (release) => {
  const folder = join(releases, release)
  const { files, continued }: { files: Record<string, unknown>; continued: Record<string, string> } =
    JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

  it('models, checkpoints and data are among them', () => {
    const names = Object.keys(files)
    expect(readdirSync(folder).sort()).toEqual([...names, 'manifest.json'].sort())
    expect(names).toEqual(expect.arrayContaining(release.startsWith('0.') ? COMMON : [...COMMON, ...SINCE_1]))
    // Those of 0.1 continue with other entries (golden.test.ts).
    expect(Object.keys(continued)).toEqual(
      release === '0.1' ? [] : names.filter((name) => name.endsWith('.run')),
    )
  })

  it.each(Object.entries(files))('%s opens with the content that it had', async (name, expected) => {
    const content = await contentOfFile(join(folder, name), (file) => decodeSession(file, packing))
    expect({ content }).toMatchObject({ content: expected })
  })

  it.each(Object.entries(continued))(
    '%s continues to the bits that the release would have reached',
    async (name, expected) => {
      const tensor = await readTensor(join(folder, 'data.tns'))
      expect(await resultOf(name as keyof typeof settings, tensor, join(folder, name))).toBe(expected)
    },
  )
})
