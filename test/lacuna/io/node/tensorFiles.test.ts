import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readModel, readTensor, writeModel, writeTensor } from '#lacuna/io/node/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { manyLines, rejection } from '../pieces.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('tensors and models by path', () => {
  const tensor = {
    dims: [3, 2],
    indices: [Uint32Array.of(0, 2), Uint32Array.of(1, 0)],
    values: Float32Array.of(0.1, 7),
  }

  test.each(['a.tns', 'a.tns.gz'])('the tensor %s is read as it was written', async (name) => {
    await writeTensor(at(name), tensor)
    expect(await readTensor(at(name))).toEqual(tensor)
    expect((await readTensor(at(name), { dims: [9, 9] })).dims).toEqual([9, 9])
  })

  test('progress ends at the length of the file', async () => {
    writeFileSync(at('a.tns.gz'), gzipSync(manyLines))
    const seen: number[][] = []
    await readTensor(at('a.tns.gz'), { onProgress: (...counts) => seen.push(counts) })
    const size = statSync(at('a.tns.gz')).size
    expect(seen.at(-1)).toEqual([size, size])
  })

  test.skipIf(!existsSync('/proc/self/fd'))(
    'a fault closes the file and names its path and line',
    async () => {
      writeFileSync(at('a.tns.gz'), gzipSync(`1 x 1\n${manyLines}`))
      const open = () => readdirSync('/proc/self/fd').length
      const before = open()
      for (let i = 0; i < 5; i++) {
        const error = await rejection(readTensor(at('a.tns.gz')))
        expect(error.message).toContain(`${at('a.tns.gz')}, line 1: the index "x" of mode 2 is not a number`)
      }
      expect(open()).toBeLessThan(before + 5)
    },
  )

  test('a model is read as it was written', async () => {
    const model = new CpModel({
      dims: [1, 2],
      rank: 1,
      factors: [Float32Array.of(2), Float32Array.of(3, 4)],
      training: { seed: 1 },
    })
    await writeModel(at('m.npz'), model)
    expect(await readModel(at('m.npz'), 'single')).toEqual(model)
    expect((await rejection(readModel(at('n.npz'), 'single'))).message).toBe(
      `${at('n.npz')}: there is no such file; check the name.`,
    )
  })

  test('an unknown ending is refused with the known ones', async () => {
    const model = new CpModel({ dims: [1, 1], rank: 1, factors: [Float32Array.of(1), Float32Array.of(1)] })
    const tensors = ': the ending is not that of a tensor file; use .tns, .tns.gz, .np'
    const models = ': the ending is not that of a model file; use .npz.'
    expect((await rejection(readTensor('a.xyz'))).message).toBe(
      'a.xyz: the ending is not that of a tensor file; use .tns, .tns.gz, .npy, .npz, .mat, .h5, .nc, .zarr, .csv, .parquet, .arrow, .xlsx or another table.',
    )
    expect((await rejection(writeTensor(at('a.xls'), tensor))).message).toContain(at('a.xls') + tensors)
    expect((await rejection(readModel('a.json', 'single'))).message).toBe(`a.json${models}`)
    expect((await rejection(writeModel(at('a'), model))).message).toBe(at('a') + models)
    expect(readdirSync(folder)).toEqual([])
  })
})
