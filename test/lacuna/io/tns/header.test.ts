import { expect, test } from 'vitest'
import { readTns, writeTns } from '#lacuna/io/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { join, pieces, rejection } from '../pieces.ts'

const plain: SparseTensor = {
  dims: [2, 3],
  indices: [Uint32Array.of(0, 1), Uint32Array.of(2, 0)],
  values: Float32Array.of(1, 2.5),
}
const text = (tensor: SparseTensor, header = true) =>
  new TextDecoder().decode(join(writeTns(tensor, { header })))
const read = (content: string, options = {}) =>
  readTns(pieces(content, [7, 100, 3]), { name: 'x.tns', ...options })

test('writeTns writes no header if there are no names and the entries imply the sizes', () => {
  expect(text(plain)).toBe('1 3 1\n2 1 2.5\n')
})

test('sizes, names and labels are written to .tns comments and read back', async () => {
  const named = {
    ...plain,
    dims: [2, 4],
    labels: [['a\n#', '"'], undefined],
    modes: [{ name: 'x' }, { name: 'y', type: 'DATE' }],
    valueName: 'z',
  }
  expect(text(named)).toBe(
    '# lacuna {"dims":[2,4],"modes":[{"name":"x"},{"name":"y","type":"DATE"}],"value":"z"}\n' +
      '# lacuna {"mode":1,"labels":["a\\n#","\\""]}\n1 3 1\n2 1 2.5\n',
  )
  expect(await read(text(named))).toEqual(named)
  expect(text(named, false)).toBe('1 3 1\n2 1 2.5\n')
})

test('labels too many for a .tns comment are spread over several', async () => {
  const labels = [Array.from({ length: 50_000 }, (_, i) => `label number ${i}`), undefined]
  const many = { ...plain, dims: [50_000, 3], labels }
  const lines = text(many).split('\n')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(2 ** 18)
  expect((await read(text(many))).labels).toEqual(labels)
})

test('other .tns comments are ignored, wherever they are', async () => {
  expect(await read('# lacuna is a gap\n1 3 1\n# lacuna {"dims":[9,9]}\n2 1 2.5\n')).toEqual(plain)
})

test.each([
  ['# lacuna {"dims":\n1 1 1\n', "x.tns, line 1: the comment of Lacuna's cannot be read"],
  ['# lacuna {"mode":1,"labels":["a"]}\n1 1 1\n', "x.tns, line 1: the comment of Lacuna's cannot be read"],
  [
    '# lacuna {"dims":[1,1,1]}\n1 1 1\n',
    'x.tns: the entries have 2 indices, but there are 3 modes in the comments',
  ],
  [
    '# lacuna {"dims":[2,2]}\n# lacuna {"mode":1,"labels":["a"]}\n1 1 1\n',
    'x.tns: mode 1 has 1 labels for 2 indices',
  ],
  ['# lacuna {"dims":[1,1]}\n1 2 1\n', 'x.tns, line 2: index 2 of mode 2 is beyond its size 1'],
])('the .tns header %j is refused', async (content, message) => {
  expect((await rejection(read(content))).message).toContain(message)
})

test('given dims must not be smaller than the labels of a .tns header', async () => {
  const content = '# lacuna {"dims":[2,3]}\n# lacuna {"mode":1,"labels":["a","b"]}\n1 1 1\n'
  expect((await read(content, { dims: [2, 5] })).dims).toEqual([2, 5])
  expect((await rejection(read(content, { dims: [3, 3] }))).message).toContain(
    'x.tns: mode 1 has 2 labels, which cannot name 3',
  )
})
