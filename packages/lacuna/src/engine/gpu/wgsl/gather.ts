/**
 * WGSL that the kernels that pass over entries have in common: it computes Khatri-Rao rows k on the fly. A
 * workgroup (WebGPU's group of invocations with shared memory) has one segment, the consecutive records of a
 * row (docs/glossary.md), and passes over its window, the sampled ones of them (wgsl/windows.ts). `lanes`
 * neighbouring invocations share an entry, each with some quads of k; a quad is four components, one vec4f.
 * All invocations run the same number of rounds, since they synchronize within the loop; those without an
 * entry repeat the last one with weight 0.
 */
import { quadsOf, type Shape, type Team, wordsOf } from '../shape.ts'

/** Repeats code for the quads q = 0 … perLane − 1 of a row that an invocation has. */
export const eachQuad = ({ perLane }: Team, code: (q: number) => string): string =>
  Array.from({ length: perLane }, (_, q) => code(q)).join('\n')

/**
 * Declares a variable with quad q of this invocation, or 0 beyond the end of the row.
 * @param name of the variable; q is appended
 * @param read the expression that reads the quad with a number in the row
 */
export function quadAt(
  shape: Shape,
  { lanes }: Team,
  name: string,
  q: number,
  read: (at: string) => string,
): string {
  const at = `own + ${q * lanes}u`
  const isFull = (q + 1) * lanes <= quadsOf(shape)
  if (isFull) return `let ${name}${q} = ${read(at)};`
  return `var ${name}${q} = vec4f(); if (${at} < ${quadsOf(shape)}u) { ${name}${q} = ${read(at)}; }`
}

/**
 * The WGSL type of the buffer of records: an array of vectors if a record has 2 or 4 words, else of words.
 */
export const recordsType = (shape: Shape): string =>
  wordsOf(shape) === 4 ? 'array<vec4<u32>>' : wordsOf(shape) === 2 ? 'array<vec2<u32>>' : 'array<u32>'

/**
 * Declares entrySum(x, lane): adds x, two numbers, over the invocations that share an entry, and returns the
 * sums to each of them.
 */
export function entrySum({ size, lanes, subgroup }: Team): string {
  if (lanes === 1) return 'fn entrySum(x: vec2f, lane: u32) -> vec2f { return x; }'
  if (subgroup >= lanes) {
    const adds = powersBelow(lanes, 1).map((mask) => `sum += subgroupShuffleXor(sum, ${mask}u);`)
    return `fn entrySum(x: vec2f, lane: u32) -> vec2f { var sum = x; ${adds.join(' ')} return sum; }`
  }
  return `
var<workgroup> exchanged: array<vec2f, ${size}>;
fn entrySum(x: vec2f, lane: u32) -> vec2f {
  workgroupBarrier();
  exchanged[lane] = x;
  workgroupBarrier();
  let first = lane & ~${lanes - 1}u;
  var sum = vec2f();
  for (var other = 0u; other < ${lanes}u; other++) { sum += exchanged[first + other]; }
  return sum;
}`
}

/** Powers of two: `from`, 2 · `from` and so on below `below`. */
const powersBelow = (below: number, from: number): number[] => {
  const powers: number[] = []
  for (let power = from; power < below; power *= 2) powers.push(power)
  return powers
}

/** Declares the position of an invocation in its team: `own` among those of an entry, `part` the entry's. */
export const teamIndices = ({ lanes }: Team): string => `
  let own = lane % ${lanes}u;  // the number of this invocation among those of its entry
  let part = lane / ${lanes}u; // the number of its entry among those processed at a time`

/**
 * The loop over a window: `count` records from `start` on, cyclically, of a segment of `length` records from
 * record `first` on; these four are variables of the kernel. In `body`, k0 … are this invocation's quads of
 * k, other0 … the rows of the other modes, x is the value, w the weight, and isIn whether the entry counts: not
 * if it repeats the last one.
 */
export function entryLoop(shape: Shape, team: Team, body: string): string {
  const quads = quadsOf(shape)
  const { order, weighted } = shape
  const words = wordsOf(shape)
  const isVector = words === 4 || words === 2
  const word = (i: number): string => (isVector ? `record.${'xyzw'[i]}` : `word${i}`)
  const each = (code: (i: number) => string): string =>
    Array.from({ length: words }, (_, i) => code(i)).join(' ')
  const read = (name: string, at: string): string =>
    isVector ? `${name} = records[${at}];` : each((i) => `${name}${i} = records[${at} * ${words}u + ${i}u];`)
  const rows = Array.from(
    { length: order - 1 },
    (_, o) =>
      `let other${o} = step.others[${o >> 2}].${'xyzw'[o & 3]} + ${word(o)}; let row${o} = other${o} * ${quads}u;`,
  )
  const product = (at: string): string => rows.map((_, o) => `factors[row${o} + ${at}]`).join(' * ')
  return `
  let rounds = (count + ${team.entries - 1}u) / ${team.entries}u;
  var index = start + min(part, count - 1u);
  var position = first + select(index, index - length, index >= length);
  ${isVector ? 'var record = records[position];' : each((i) => `var word${i} = records[position * ${words}u + ${i}u];`)}
  for (var round = 0u; round < rounds; round++) {
    let isIn = round * ${team.entries}u + part < count;
    ${rows.join('\n    ')}
    let x = bitcast<f32>(${word(order - 1)});
    let w = ${weighted ? `bitcast<f32>(${word(order)})` : '1.0'};
    // The next record is loaded early, to hide its latency behind the rows of this one.
    index = start + min((round + 1u) * ${team.entries}u + part, count - 1u);
    position = first + select(index, index - length, index >= length);
    ${read(isVector ? 'record' : 'word', 'position')}
    ${eachQuad(team, (q) => quadAt(shape, team, 'k', q, product))}
    ${body}
  }`
}

/** The WGSL condition that a value marks an unknown cell: the bits of −0 (kernels/solve/layout.ts). */
export const isUnknown = (x: string): string => `bitcast<u32>(${x}) == 0x80000000u`

/** Code of an invocation's part of the dot product of k with the row whose quads are other0, other1 … */
export const partialDot = (team: Team, other: string): string =>
  Array.from({ length: team.perLane }, (_, q) => `dot(k${q}, ${other}${q})`).join(' + ')

/**
 * Sums the quads name0, name1 … of the invocations over the entries of the team, in a fixed order, and runs
 * `store` once for each sum (`value`, of quad number `quad`): within subgroups by shuffles, then through
 * `scratch`, of which `scratchQuads` quads are used.
 */
export function teamSum(shape: Shape, team: Team, name: string, store: string): string {
  const quads = quadsOf(shape)
  const { size, lanes, perLane, subgroup } = team
  const reach = Math.max(lanes, Math.min(size, subgroup))
  const within = powersBelow(reach, lanes).map((mask) =>
    eachQuad(team, (q) => `${name}${q} += subgroupShuffleXor(${name}${q}, ${mask}u);`),
  )
  const blocks = size / reach
  const stores = (read: (q: number) => string): string =>
    eachQuad(
      team,
      (q) =>
        `if (own + ${q * lanes}u < ${quads}u) { let quad = own + ${q * lanes}u; let value = ${read(q)}; ${store} }`,
    )
  if (blocks === 1) return `${within.join('\n')} if (lane < ${lanes}u) { ${stores((q) => `${name}${q}`)} }`
  const slots = lanes * perLane
  return `${within.join('\n')}
  workgroupBarrier();
  if (lane % ${reach}u < ${lanes}u) {
    ${eachQuad(team, (q) => `scratch[lane / ${reach}u * ${slots}u + own + ${q * lanes}u] = ${name}${q};`)}
  }
  workgroupBarrier();
  for (var quad = lane; quad < ${quads}u; quad += ${size}u) {
    var value = scratch[quad];
    for (var block = 1u; block < ${blocks}u; block++) { value += scratch[block * ${slots}u + quad]; }
    ${store}
  }`
}

/** Quads of scratch that `teamSum` needs. */
export const scratchQuads = ({ size, perLane }: Team): number => size * perLane

/** The WGSL directives at the beginning of a kernel that may use subgroups. */
export const directives = (shape: Shape): string =>
  shape.subgroup > 1 ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);' : ''
