import { expect, it } from 'vitest'
import { buildModeView, type ModeView } from '#dist/tensor/modeView.js'
import { chiSquare } from '../chiSquare.ts'
import { randomTensor } from '../problems.ts'

function view(
  tensor: Parameters<typeof buildModeView>[0],
  mode: number,
  seed: number,
  valueScale = 1,
): ModeView {
  const { dims, values } = tensor
  const built = {
    rowStart: new Uint32Array(dims[mode] + 1),
    records: new Uint32Array(values.length * dims.length),
  }
  buildModeView(tensor, mode, built, { seed, valueScale })
  return built
}

it('holds every entry once, in its row, with its other indices and its value', () => {
  const tensor = randomTensor({ dims: [9, 7, 5, 4], entries: 500, seed: 1 })
  for (const mode of [0, 1, 2, 3]) {
    const { rowStart, records } = view(tensor, mode, 7, 0.5)
    const values = new Float32Array(records.buffer)
    const found: string[] = []
    for (let p = 0; p < tensor.dims[mode]; p++) {
      for (let e = rowStart[p]; e < rowStart[p + 1]; e++) {
        const index = [...records.subarray(4 * e, 4 * e + 3)]
        index.splice(mode, 0, p)
        found.push(`${index} ${2 * values[4 * e + 3]}`)
      }
    }
    const wanted = Array.from(tensor.values, (x, e) => `${tensor.indices.map((column) => column[e])} ${x}`)
    expect(found.sort()).toEqual(wanted.sort())
  }
})

it('shuffles the entries of a row, every order being as likely', () => {
  // One row of four entries: which of the 24 orders, over many seeds?
  const tensor = {
    dims: [1, 4],
    indices: [new Uint32Array(4), Uint32Array.of(0, 1, 2, 3)],
    values: new Float32Array(4),
  }
  const orders = new Map<string, number>()
  for (let seed = 0; seed < 4800; seed++) {
    const { records } = view(tensor, 0, seed)
    const order = [0, 2, 4, 6].map((at) => records[at]).join('')
    orders.set(order, (orders.get(order) ?? 0) + 1)
  }
  expect(orders.size).toBe(24)
  expect(chiSquare([...orders.values()])).toBeLessThan(4)
})
