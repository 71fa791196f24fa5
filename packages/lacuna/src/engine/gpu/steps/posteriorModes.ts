/**
 * Dispatches of a sweep of variational EM: the posteriors of a mode's rows, the averages of groups, and the sums
 * that the M-step needs.
 */
import { GROUPS, NOISE_BINS } from '../../../kernels/solve/layout.ts'
import { mostSampledRows, paddedRank } from '../../cpu/index.ts'
import type { Covariances } from '../../engine.ts'
import { accessOf, type Device } from '../device.ts'
import type { DeviceBuffers, DeviceView } from '../deviceBuffers.ts'
import { powerOfTwo, quadsOf, type Shape, type Team, teamFor, tilesOf, tileTeamFor } from '../shape.ts'
import type { Dispatch, SubmissionQueue } from '../submission.ts'
import type { Tables } from '../tables.ts'
import { NOISE_TEAM, noiseBinsKernel } from '../wgsl/noise.ts'
import {
  ADDED_ROWS,
  averageDeterminedKernel,
  averageGroupsKernel,
  completeRowsKernel,
  covarianceSumsKernel,
  outerSumsKernel,
  ROW_TEAM,
  type RowWeights,
  rowTotalsKernel,
} from '../wgsl/posteriorModes.ts'
import { posteriorRowsKernel } from '../wgsl/posteriorRows.ts'
import { posteriorSumQuads, posteriorSumsKernel } from '../wgsl/posteriorSums.ts'
import type { PosteriorWords, StepWords } from '../wgsl/step.ts'
import { reduceKernel, reduceWidth } from '../wgsl/sums.ts'
import { WINDOWS_TEAM, windowsKernel } from '../wgsl/windows.ts'
import { addProductsKernel, MOST_PRODUCT_BLOCKS, PRODUCTS_TEAM, productQuads } from '../wgsl/zeros.ts'
import { type Batch, batchModes } from './batches.ts'
import {
  blocksBefore,
  createPosteriorBuffers,
  MOST_NOISE_GROUPS,
  type PosteriorBuffers,
} from './posteriorBuffers.ts'
import { divideIntoGroups, type ModeGroups } from './posteriorGroups.ts'

/** The problem on its device, for which a prior is learned. */
export interface PosteriorProblem {
  device: Device
  tables: Tables
  shape: Shape
  /** The covariances that sweeps work with. */
  form: Covariances
  factors: DeviceBuffers
  /** The views of the training entries by every mode. */
  views: readonly DeviceView[]
  queue: SubmissionQueue
  /** Registers a buffer with its owner, which destroys it. */
  own: (buffer: GPUBuffer) => GPUBuffer
}

/** Enqueues the kernels of sweeps. */
export class PosteriorModes {
  readonly buffers: PosteriorBuffers
  /** The groups of every mode's rows; none if every row has its own covariance. */
  readonly groups: ModeGroups[]
  readonly #problem: PosteriorProblem
  /** Per mode, the batches of rows whose sums fit into the buffer of sums. */
  readonly #batches: Batch[][]
  readonly #bound = new Map<string, GPUBindGroup>()

  /** Creates the buffers. Throws an InputError if the device may not bind as much as they take. */
  constructor(problem: PosteriorProblem) {
    const { device, tables, shape, form, views, own } = problem
    const { modes, rows } = tables
    this.#problem = problem
    const groupOf = new Uint32Array(rows.length / 4)
    const slotOf = Uint32Array.from(groupOf, (_, p) => p)
    const most = mostSampledRows(paddedRank(shape.rank))
    this.groups =
      form === 'groups' ? modes.map((mode) => divideIntoGroups(tables, mode, most, groupOf, slotOf)) : []
    const { all } = posteriorSumQuads(shape, form)
    const { batches, segments } = batchModes(
      tables,
      views.map(({ slices }) => slices),
      all,
      this.#workPerEntry,
      device.maxBindingBytes,
    )
    this.#batches = batches
    this.buffers = createPosteriorBuffers(device, tables, shape, form, this.groups, groupOf, segments, own)
    const slots = new Uint32Array(rows.length)
    slotOf.forEach((slot, p) => {
      slots[4 * p + 3] = slot
    })
    device.gpu.queue.writeBuffer(this.buffers.rowSums, 0, slots)
  }

  /** Enqueues the windows of all segments, which are whole: the sums of long rows depend on them. */
  async drawWindows(): Promise<void> {
    const { tables, shape, factors } = this.#problem
    const { segments, rows, windows, sampled } = factors
    await this.#add(windowsKernel(shape), [segments, rows], [windows, sampled], {
      step: { segments: [0, tables.totalSegments], leastWindow: tables.leastWindow },
      groups: Math.ceil(tables.totalSegments / WINDOWS_TEAM),
    })
  }

  /** Enqueues the posteriors of the rows of a mode, and the sums of those whose V is not computed. */
  async updateRows(i: number, posterior: PosteriorWords): Promise<void> {
    const { tables, shape, form, factors, views } = this.#problem
    const { priors, covariances, groupMatrices, leverages, variances, groups, rowSums, sums } = this.buffers
    const { rows, segments, windows, longRows } = factors
    const { all } = posteriorSumQuads(shape, form)
    const mode = tables.modes[i]
    const isGrouped = form === 'groups'
    const others = tables.modes.filter((_, o) => o !== i).map(({ firstRow }) => firstRow)
    const team = sumTeam(views[i].shape, form, (4 * mode.entries) / mode.segments.length)
    const sumKernel = posteriorSumsKernel(views[i].shape, team, form)
    for (const batch of this.#batches[i]) {
      const step: StepWords = { mode: i, others, posterior, base: batch.segments[0], rows: batch.rows }
      for (const { slice, segments: range } of batch.pieces) {
        const { buffer, records, segments: inSlice } = views[i].slices[slice]
        const fraction = (range[1] - range[0]) / (inSlice[1] - inSlice[0])
        await this.#add(
          sumKernel,
          [buffer, factors.factors, segments, leverages, variances, isGrouped ? groups : covariances],
          [sums],
          {
            step: { ...step, segments: range, firstRecord: records[0] },
            groups: range[1] - range[0],
            layers: Math.ceil(tilesOf(shape) / team.size),
            work: Math.min(batch.entries, fraction * (records[1] - records[0])) * this.#workPerEntry,
          },
          `${i} ${slice}`,
        )
      }
      const [firstLong, endLong] = batch.long
      if (endLong > firstLong)
        await this.#add(
          reduceKernel(shape, all),
          [longRows[i]!, rows, windows],
          [sums],
          {
            step: { ...step, rows: [firstLong, 0], count: endLong - firstLong },
            groups: endLong - firstLong,
            layers: Math.ceil(all / reduceWidth(all)),
          },
          `${i}`,
        )
      const count = batch.rows[1] - batch.rows[0]
      await this.#add(
        posteriorRowsKernel(shape, form),
        [rows, priors[i]],
        [sums, factors.factors, covariances, leverages, rowSums],
        { step, groups: count, work: count * tilesOf(shape) * 64 },
        `${i}`,
        isGrouped ? [groupMatrices] : [],
      )
    }
    if (isGrouped) await this.#completeRows(i, posterior)
  }

  /** Enqueues the sums and leverages of the rows of a mode whose V was not computed. */
  async #completeRows(i: number, posterior: PosteriorWords): Promise<void> {
    const { tables, shape, factors } = this.#problem
    const { slots, rowSums, determined, groups, leverages } = this.buffers
    const { firstRow, rows } = tables.modes[i]
    await this.#add(
      averageDeterminedKernel(shape),
      [slots[i], rowSums],
      [determined],
      { step: {}, groups: 1 },
      `${i}`,
    )
    await this.#add(completeRowsKernel(shape), [factors.rows, groups, determined], [rowSums, leverages], {
      step: { rows: [firstRow, firstRow + rows], posterior },
      groups: Math.ceil(rows / ROW_TEAM),
    })
  }

  /** Enqueues the sums of the rows' sums over blocks of rows of a mode. */
  async addRowSums(i: number): Promise<void> {
    const { tables, shape, factors } = this.#problem
    const { firstRow, rows } = tables.modes[i]
    await this.#add(rowTotalsKernel(shape), [factors.rows, this.buffers.rowSums], [this.buffers.rowTotals], {
      step: { rows: [firstRow, firstRow + rows], base: blocksBefore(tables, i) },
      groups: Math.ceil(rows / ADDED_ROWS),
    })
  }

  /** Enqueues the average V of each group of a mode, after its rows were updated; for covariances of groups. */
  async averageGroups(i: number): Promise<void> {
    const { shape } = this.#problem
    const { slots, covariances, groupMatrices } = this.buffers
    await this.#add(
      averageGroupsKernel(shape),
      [slots[i], covariances],
      [groupMatrices],
      { step: { mode: i }, groups: Math.ceil(productQuads(shape) / PRODUCTS_TEAM), rows: GROUPS },
      `${i}`,
    )
  }

  /** Enqueues the mean of a aᵀ over the entries of a mode, if the other modes' rows need it. */
  async averageMoment(i: number): Promise<void> {
    const { tables, shape } = this.#problem
    if (shape.order < 3) return
    const at = (i * (GROUPS + 1) + GROUPS) * productQuads(shape)
    await this.#sumOuter(i, 'entries', this.buffers.groupMatrices, at, 1 / tables.modes[i].entries)
  }

  /** Enqueues Σ (a − μ)(a − μ)ᵀ of a mode and, if every row has its own covariance, Σ V. */
  async sumProducts(i: number): Promise<void> {
    const { tables, shape, form, factors } = this.#problem
    const { products, covariances, blockProducts } = this.buffers
    const size = productQuads(shape)
    await this.#sumOuter(i, 'rows', products, 2 * i * size, 1)
    if (form === 'groups') return
    const { firstRow, rows } = tables.modes[i]
    const { perBlock, blocks } = blocksOf(rows)
    await this.#add(covarianceSumsKernel(shape), [factors.rows, covariances], [blockProducts], {
      step: { rows: [firstRow, firstRow + rows], count: perBlock },
      groups: blocks,
      layers: Math.ceil(size / PRODUCTS_TEAM),
      work: rows * size,
    })
    await this.#addBlocks(blocks, products, (2 * i + 1) * size, 1)
  }

  /** Enqueues a sum of outer products of a mode's rows, times `scale`, to quads of a buffer from `at` on. */
  async #sumOuter(i: number, weights: RowWeights, to: GPUBuffer, at: number, scale: number): Promise<void> {
    const { tables, shape, factors } = this.#problem
    const { firstRow, rows } = tables.modes[i]
    const { perBlock, blocks } = blocksOf(rows)
    await this.#add(
      outerSumsKernel(shape, weights),
      [factors.rows, factors.factors, this.buffers.priors[i]],
      [this.buffers.blockProducts],
      {
        step: { rows: [firstRow, firstRow + rows], count: perBlock },
        groups: blocks,
        layers: Math.ceil(tilesOf(shape) / PRODUCTS_TEAM),
        work: 4 * rows * tilesOf(shape),
      },
      `${i}`,
    )
    await this.#addBlocks(blocks, to, at, scale)
  }

  /** Enqueues the sum over blocks of rows, times `scale`, to quads of a buffer from `at` on. */
  async #addBlocks(blocks: number, to: GPUBuffer, at: number, scale: number): Promise<void> {
    const { shape } = this.#problem
    await this.#add(
      addProductsKernel(shape),
      [this.buffers.blockProducts],
      [to],
      {
        step: { base: at, count: blocks, lambda: scale },
        groups: Math.ceil(productQuads(shape) / PRODUCTS_TEAM),
      },
      to === this.buffers.products ? 'products' : 'groups',
    )
  }

  /**
   * Enqueues the bins of residuals, over the view by the first mode, in `noiseBins`; returns their number of
   * workgroups.
   * @param mean of the training values
   */
  async binResiduals(mean: number, posterior: PosteriorWords): Promise<number> {
    const { tables, shape, factors, views } = this.#problem
    const { leverages, variances, noiseBins } = this.buffers
    const mode = tables.modes[0]
    const segments = mode.segments.length / 4
    const perGroup = Math.ceil(segments / (MOST_NOISE_GROUPS / views[0].slices.length))
    const team = teamFor(views[0].shape, mode.entries / segments, NOISE_TEAM)
    const others = tables.modes.slice(1).map(({ firstRow }) => firstRow)
    let groups = 0
    for (const [slice, { buffer, records, segments: range }] of views[0].slices.entries()) {
      const own = Math.ceil((range[1] - range[0]) / perGroup)
      await this.#add(
        noiseBinsKernel(views[0].shape, team),
        [buffer, factors.factors, factors.segments, leverages, variances],
        [noiseBins],
        {
          step: {
            segments: range,
            count: perGroup,
            firstRecord: records[0],
            others,
            posterior,
            lambda: mean,
            base: groups,
          },
          groups: own,
          work: quadsOf(shape) * shape.order * (records[1] - records[0]),
        },
        `${slice}`,
      )
      groups += own
    }
    return groups
  }

  /** Approximate multiplications of quads per entry. */
  get #workPerEntry(): number {
    const { shape, form } = this.#problem
    const { order } = shape
    return quadsOf(shape) * order + 4 * tilesOf(shape) * (form === 'rows' ? 2 * (order - 1) : 1)
  }

  /**
   * Enqueues a kernel, compiled and bound when it is first used.
   * @param read the buffers that it reads, followed in the bindings by those that it writes and `last`
   * @param key distinguishes bind groups of the same kernel
   * @param last further buffers that it reads
   */
  async #add(
    code: string,
    read: readonly GPUBuffer[],
    write: readonly GPUBuffer[],
    dispatch: Pick<Dispatch, 'groups' | 'layers' | 'work' | 'rows'> & { step: StepWords },
    key = '',
    last: readonly GPUBuffer[] = [],
  ): Promise<void> {
    const { device, queue } = this.#problem
    const access = [...accessOf(read.length, write.length), ...accessOf(last.length, 0)]
    const kernel = await device.compile(code, access)
    const name = `${key} ${code}`
    const group =
      this.#bound.get(name) ?? device.bind(kernel, queue.steps, queue.slot, [...read, ...write, ...last])
    this.#bound.set(name, group)
    await queue.add({ kernel, group, ...dispatch })
  }
}

/** Compiles the kernels of sweeps in the background. */
export function warmPosterior({ device, tables, shape, form, views }: Omit<PosteriorProblem, 'own'>): void {
  tables.modes.forEach((mode, i) => {
    const team = sumTeam(views[i].shape, form, (4 * mode.entries) / mode.segments.length)
    device.warm(posteriorSumsKernel(views[i].shape, team, form), 6, 1)
  })
  device.warm(reduceKernel(shape, posteriorSumQuads(shape, form).all), 3, 1)
  device.warm(rowTotalsKernel(shape), 2, 1)
  device.warm(outerSumsKernel(shape, 'rows'), 3, 1)
  device.warm(addProductsKernel(shape), 1, 1)
  if (form === 'rows') {
    device.warm(posteriorRowsKernel(shape, form), 2, 5)
    device.warm(covarianceSumsKernel(shape), 2, 1)
    return
  }
  device.warm(posteriorRowsKernel(shape, form), 2, 5, 1)
  device.warm(averageDeterminedKernel(shape), 2, 1)
  device.warm(completeRowsKernel(shape), 3, 2)
  device.warm(averageGroupsKernel(shape), 2, 1)
  if (shape.order > 2) device.warm(outerSumsKernel(shape, 'entries'), 3, 1)
}

/** The team of the kernel of sums. @param expected entries of a typical segment */
function sumTeam(shape: Shape, form: Covariances, expected: number): Team {
  const groupLanes = form === 'groups' ? powerOfTwo((GROUPS / 4) * (shape.order - 1)) : 1
  return tileTeamFor(shape, expected, groupLanes)
}

/** The blocks of rows over which products are summed. */
function blocksOf(rows: number): { perBlock: number; blocks: number } {
  const perBlock = Math.ceil(rows / MOST_PRODUCT_BLOCKS)
  return { perBlock, blocks: Math.ceil(rows / perBlock) }
}

/** Adds the bins that workgroups have written, in order: three numbers per bin. */
export function addNoiseBins(written: Float32Array, groups: number): Float64Array {
  const bins = new Float64Array(3 * NOISE_BINS)
  for (let at = 0; at < groups * NOISE_BINS; at++)
    for (let i = 0; i < 3; i++) bins[3 * (at % NOISE_BINS) + i] += written[4 * at + i]
  return bins
}
