/** Files that any release has written open forever, with the content that they had. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { digestOfFile } from './releaseFiles.mjs'

const releases = fileURLToPath(new URL('./releases/', import.meta.url))

describe.each(readdirSync(releases))('the files of release %s', (release) => {
  const folder = join(releases, release)
  const manifest: Record<string, string> = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

  it('models, checkpoints and data are among them', () => {
    const names = Object.keys(manifest)
    expect(readdirSync(folder).sort()).toEqual([...names, 'manifest.json'].sort())
    for (const name of ['model.npz', 'ensemble.npz', 'run.run', 'data.npz', 'data.tns', 'data.parquet'])
      expect(names).toContain(name)
  })

  it.each(Object.entries(manifest))('%s opens with the content that it had', async (name, digest) => {
    expect(await digestOfFile(join(folder, name))).toBe(digest)
  })
})
