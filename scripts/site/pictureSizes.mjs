// @ts-check
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'

/**
 * Width and height in pixels of all pictures below a folder, by their paths in it.
 * @param {string} folder @returns {Promise<Record<string, [number, number]>>}
 */
export async function pictureSizes(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(webp|jpg|png|svg)$/.test(path))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => {
        const { width, height } = await sharp(join(folder, path)).metadata()
        return [path, [width, height]]
      }),
    ),
  )
}
