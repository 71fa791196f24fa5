import { ResidualField } from '/tmp/review/dist/model/neighbours.js'

const d = [3000000, 2000000, 4000000]
// one entry; ask about its neighbour cells: own residual must not show
const f = new ResidualField(
  d,
  [Uint32Array.of(2999999), Uint32Array.of(1999998), Uint32Array.of(3999997)],
  Float32Array.of(7),
  [[], [], [1]],
)
const o = new Float64Array(f.size)
f.read([2999999, 1999998, 3999997], o)
console.log('of the cell itself (all must be 0):', [...o])
const q = new ResidualField(
  d,
  [Uint32Array.of(2999999), Uint32Array.of(1999998), Uint32Array.of(3999997)],
  Float32Array.of(7),
  [[], [], []],
)
const p = new Float64Array(q.size)
q.read([2999999, 1999998, 3999998], p)
console.log('of a cell that shares the fiber of mode 3 only (want [0,0,1.75]):', [...p])
