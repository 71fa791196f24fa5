// Prints the tables of docs/scale.md: the predicted seconds of an epoch on many nodes, by the cost model of that page.
// Replace the constants by those of another machine and run it again:  node scripts/scale.mjs
// @ts-check

/** Measured on one thread: seconds per entry and mode, and per update of a row, by solver and rank. */
const COMPUTE = {
  paper: { 10: { entry: 21e-9, row: 0.75e-6 }, 50: { entry: 122e-9, row: 6.8e-6 } },
  fast: { 10: { entry: 22e-9, row: 1.4e-6 }, 50: { entry: 98e-9, row: 8.9e-6 } },
}
/** Threads of a node, their parallel efficiency (measured with `npm run bench -- engine`), and its memory in bytes. */
const NODE = { threads: 16, efficiency: 0.7, bytes: 512e9 }
/** Assumed: a network of 100 Gbit/s at 80% efficiency, and the latency of a message. */
const NETWORK = { bytesPerSecond: 10e9, secondsPerMessage: 3e-6 }
/** Sample fraction c: an epoch is 1/c AO iterations. */
const SAMPLE = 0.5
/** Entries of a segment, and the largest number of segments; beyond it segments are longer. */
const SEGMENT = { entries: 4096, most: 2 ** 18 }
/** Usable memory of a partition. */
const PARTITION_BYTES = 0.97 * 2 ** 32
/** Matrices of a factor's size in a partition: the factor, its momentum factor and its snapshot. */
const COPIES = 3

const PROBLEMS = [
  { entries: 1e9, dims: [2e6, 1e6, 1e3] },
  { entries: 1e10, dims: [1e7, 2e6, 1e3] },
  { entries: 1e12, dims: [2e7, 5e6, 5e3] },
]

/** @param {number} rank */
const paddedRank = (rank) => 4 * Math.ceil(rank / 4)

/**
 * Predicts the seconds of an epoch, by kind of work, and the bytes of a node.
 * @param {{ entries: number, dims: number[] }} problem @param {number} nodes @param {'paper' | 'fast'} solver
 * @param {10 | 50} rank
 */
function predictEpoch({ entries, dims }, nodes, solver, rank) {
  const { entry, row } = COMPUTE[solver][rank]
  const order = dims.length
  const workers = nodes * NODE.threads * NODE.efficiency
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  const iterations = 1 / SAMPLE
  const compute = (order * entries * entry + iterations * rows * row) / workers
  // Every node receives the rows that the others changed …
  const rowBytes = 4 * paddedRank(rank) * rows
  // … and partial sums of the rows across its two borders: on average one per two levels of the tree, for each row.
  const longest = Math.max(2, entries / Math.min(...dims) / Math.max(SEGMENT.entries, entries / SEGMENT.most))
  const sums = Math.log2(longest)
  const sumBytes = order * nodes * sums * 4 * paddedRank(rank) * (paddedRank(rank) + 1)
  const bytes = iterations * (rowBytes + sumBytes) * ((nodes - 1) / nodes)
  const messages = iterations * (2 * order + 1) * Math.ceil(Math.log2(nodes))
  return {
    compute,
    rows: (iterations * rowBytes * ((nodes - 1) / nodes)) / NETWORK.bytesPerSecond,
    sums: (iterations * sumBytes * ((nodes - 1) / nodes)) / NETWORK.bytesPerSecond,
    messages: messages * NETWORK.secondsPerMessage,
    seconds: compute + bytes / NETWORK.bytesPerSecond + messages * NETWORK.secondsPerMessage,
    memory: ((4 * order ** 2 + 4 * (order + 1)) * entries) / nodes + COPIES * rowBytes,
    fits: COPIES * rowBytes < PARTITION_BYTES,
  }
}

/** @param {number} n */
const format = (n) => (n >= 100 ? n.toFixed(0) : n >= 0.001 ? String(Number(n.toPrecision(2))) : '<0.001')

for (const rank of /** @type {const} */ ([10, 50]))
  for (const problem of PROBLEMS) {
    console.log(
      `\n${problem.entries.toExponential(0)} entries, ${problem.dims.join('×')}, R = ${rank}, fast\n`,
    )
    console.log('| nodes | s/epoch | compute | rows | sums | messages | efficiency | GB/node |')
    console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
    for (const nodes of [10, 100, 1000, 10_000]) {
      const { seconds, compute, rows, sums, messages, memory, fits } = predictEpoch(
        problem,
        nodes,
        'fast',
        rank,
      )
      const cells = [seconds, compute, rows, sums, messages].map(format)
      const room = memory > NODE.bytes ? `${format(memory / 1e9)} (too much)` : format(memory / 1e9)
      console.log(
        `| ${nodes} | ${cells.join(' | ')} | ${Math.round((100 * compute) / seconds)}% | ${fits ? room : 'factors beyond 4 GiB'} |`,
      )
    }
  }
