import { learnNeighbours } from '/tmp/review/dist/model/neighbours.js'

const dims = [20, 20],
  n = 400
const idx = [
  Uint32Array.from({ length: n }, (_, e) => e % 20),
  Uint32Array.from({ length: n }, (_, e) => Math.floor(e / 20)),
]
const values = Float32Array.from({ length: n }, (_, e) => (e === 77 ? 1e35 : 1e-6))
const pred = new Float32Array(n).fill(1e-6)
console.log('go')
learnNeighbours(
  { dims, indices: idx, values },
  [pred, pred],
  Uint8Array.from({ length: n }, (_, e) => e % 2),
)
console.log('done')
