/**
 * Dispatches of AO iterations. For every mode: the windows of its segments; the sums over these windows; for
 * long rows, the reduction over their segments; and the updates of the rows. A kernel reads only sums that an
 * earlier kernel has finished: no two invocations add to the same address, and the order of all additions is
 * fixed.
 */
import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import { purpose, stream } from '../../../base/random.ts'
import type { Iterations } from '../../engine.ts'
import type { Device, GpuKernel } from '../device.ts'
import type { DeviceBuffers, DeviceView } from '../deviceBuffers.ts'
import { quadsOf, type Shape, type Team, teamFor, tilesOf, tileTeamFor } from '../shape.ts'
import type { SubmissionQueue } from '../submission.ts'
import type { Tables } from '../tables.ts'
import { GRADIENT_ROWS_TEAM, gradientRowsKernel, newtonRowsKernel, paperRowsKernel } from '../wgsl/rows.ts'
import type { StepWords } from '../wgsl/step.ts'
import {
  gradientSumQuads,
  gradientSumsKernel,
  gramKernel,
  gramQuads,
  listedSumQuads,
  listedSumsKernel,
  reduceKernel,
  reduceWidth,
  tileGroups,
} from '../wgsl/sums.ts'
import { WINDOWS_TEAM, windowsKernel } from '../wgsl/windows.ts'
import { type Batch, batchModes } from './batches.ts'
import type { DeviceZeros } from './deviceZeros.ts'

/** The steps of AO iterations with λ. */
export type DeviceStep = Extract<Iterations['step'], { kind: 'paper' | 'gradient' | 'newton' }>

/** Samples for whose teams kernels are compiled before they are needed. */
const WARM_SAMPLES = [0.1, 1]

/** The sums over a sample: 'gradient' is Hv and g, 'gram' is H and g, 'listed' is g (wgsl/sums.ts). */
type SumKind = 'gradient' | 'gram' | 'listed'

/** Per kind of sums, their quads per segment and their kernel. */
const SUMS = {
  gradient: { quads: gradientSumQuads, kernel: gradientSumsKernel },
  gram: { quads: gramQuads, kernel: gramKernel },
  listed: { quads: listedSumQuads, kernel: listedSumsKernel },
}

/** The buffer of sums, and the batches of rows whose sums fit into it. */
interface SumPlan {
  /** Quads of the sums of a segment. */
  quads: number
  buffer: GPUBuffer
  /** The batches of each mode. */
  batches: Batch[][]
}

/** The kernels of a step of a mode, with their bind groups. */
interface ModeKernels {
  team: Team
  sum: GpuKernel
  /** The bind group of each slice of the mode's view. */
  sumGroups: GPUBindGroup[]
  reduce: GpuKernel
  /** Undefined where no row has several segments. */
  reduceGroup: GPUBindGroup | undefined
  update: GpuKernel
  updateGroup: GPUBindGroup
}

/** Runs AO iterations of a problem on a device. */
export class DeviceSteps {
  readonly #device: Device
  readonly #tables: Tables
  readonly #shape: Shape
  readonly #hasMomentumFactors: boolean
  readonly #buffers: DeviceBuffers
  readonly #views: readonly DeviceView[]
  readonly #queue: SubmissionQueue
  readonly #zeros: DeviceZeros | undefined
  readonly #plans = new Map<SumKind, SumPlan>()
  readonly #prepared = new Map<
    string,
    Promise<{ windows: GpuKernel; windowsGroup: GPUBindGroup; modes: ModeKernels[] }>
  >()

  /** @param zeros sums over all cells, where unlisted cells are zeros; 'newton' is then the only kind of step */
  constructor(
    device: Device,
    tables: Tables,
    shape: Shape,
    hasMomentumFactors: boolean,
    buffers: DeviceBuffers,
    views: readonly DeviceView[],
    queue: SubmissionQueue,
    zeros?: DeviceZeros,
  ) {
    this.#zeros = zeros
    this.#device = device
    this.#tables = tables
    this.#shape = shape
    this.#hasMomentumFactors = hasMomentumFactors
    this.#buffers = buffers
    this.#views = views
    this.#queue = queue
  }

  /** Compiles the kernels of gradient and newton steps, with small and large samples, in the background. */
  warm(): void {
    const [{ shape }] = this.#views
    this.#device.warm(windowsKernel(shape), 2, 2)
    for (const kind of ['gradient', 'newton'] as const) {
      const sums = this.#sumsOf(kind)
      this.#device.warm(reduceKernel(shape, SUMS[sums].quads(shape)), 3, 1)
      for (const sample of WARM_SAMPLES)
        for (const team of this.#teamsFor(sums, sample))
          this.#device.warm(SUMS[sums].kernel(shape, team), 6, 1)
    }
    if (this.#zeros) return
    this.#device.warm(gradientRowsKernel(shape), 4, 2)
    this.#device.warm(newtonRowsKernel(shape), 4, 2)
  }

  /** The teams of the kernels of sums of every mode. */
  #teamsFor(sums: SumKind, sample: number): Team[] {
    return this.#tables.modes.map(({ entries, segments }, i) =>
      this.#teamFor(sums, this.#views[i].shape, (4 * sample * entries) / segments.length),
    )
  }

  /** Destroys the buffers of sums. */
  close(): void {
    for (const { buffer } of this.#plans.values()) buffer.destroy()
  }

  /**
   * Compiles the kernels of steps of a kind for samples of a fraction `sample` of the entries, unless they
   * are compiled; throws an InputError if the device has no memory for their sums.
   */
  prepare(kind: DeviceStep['kind'], sample: number): Promise<unknown> {
    return this.#prepare(kind, sample)
  }

  /** The compiled kernels of a step, cached by its kind and the sizes of its teams. */
  #prepare(kind: DeviceStep['kind'], sample: number) {
    const sums = this.#sumsOf(kind)
    const teams = this.#teamsFor(sums, sample)
    const key = `${kind} ${teams.map(({ size }) => size)}`
    const known = this.#prepared.get(key)
    if (known) return known
    const prepared = this.#compile(kind, sums, teams)
    this.#prepared.set(key, prepared)
    return prepared
  }

  /** The sums that a kind of step needs. */
  #sumsOf(kind: DeviceStep['kind']): SumKind {
    if (kind === 'gradient') return 'gradient'
    return this.#zeros ? 'listed' : 'gram'
  }

  /**
   * The team of the kernel that makes sums of a kind. @param expected sampled entries of a typical segment
   */
  #teamFor(sums: SumKind, shape: Shape, expected: number): Team {
    return sums === 'gram' ? tileTeamFor(shape, expected) : teamFor(shape, expected)
  }

  /** Compiles and binds the kernels of a step. @param teams that of the kernel of sums, per mode */
  async #compile(kind: DeviceStep['kind'], sums: SumKind, teams: readonly Team[]) {
    const device = this.#device
    const shape = this.#views[0].shape
    const { steps, slot } = this.#queue
    const {
      factors,
      momentumFactors,
      segments,
      rows,
      vectors,
      windows: windowBuffer,
      sampled,
      longRows,
    } = this.#buffers
    const plan = await this.#planSums(sums)
    const write = 'write' as const
    const windows = await device.compile(windowsKernel(shape), ['read', 'read', write, write])
    const windowsGroup = device.bind(windows, steps, slot, [segments, rows, windowBuffer, sampled])
    const codes = { gradient: gradientRowsKernel, newton: newtonRowsKernel, paper: paperRowsKernel }
    const cells = this.#zeros?.cells
    const updateCode = cells ? newtonRowsKernel(shape, true) : codes[kind](shape)
    const [update, reduce, ...sumKernels] = await Promise.all([
      device.compile(updateCode, [
        'read',
        'read',
        'read',
        'read',
        write,
        write,
        ...(cells ? ['read' as const] : []),
      ]),
      device.compile(reduceKernel(shape, plan.quads), ['read', 'read', 'read', write]),
      ...teams.map((team) =>
        device.compile(SUMS[sums].kernel(shape, team), [...Array<'read'>(6).fill('read'), write]),
      ),
    ])
    const updateGroup = device.bind(update, steps, slot, [
      rows,
      sampled,
      plan.buffer,
      vectors,
      factors,
      momentumFactors,
      ...(cells ? [cells] : []),
    ])
    const modes = teams.map((team, i): ModeKernels => {
      const long = longRows[i]
      const sum = sumKernels[i]
      return {
        team,
        sum,
        sumGroups: this.#views[i].slices.map(({ buffer }) =>
          device.bind(sum, steps, slot, [
            buffer,
            factors,
            momentumFactors,
            segments,
            windowBuffer,
            vectors,
            plan.buffer,
          ]),
        ),
        reduce,
        reduceGroup: long && device.bind(reduce, steps, slot, [long, rows, windowBuffer, plan.buffer]),
        update,
        updateGroup,
      }
    })
    return { windows, windowsGroup, modes }
  }

  /**
   * The batches and the buffer for sums of a kind, allocated when first needed; throws an InputError if the
   * sums of one row exceed a binding.
   */
  async #planSums(sums: SumKind): Promise<SumPlan> {
    const known = this.#plans.get(sums)
    if (known) return known
    const shape = this.#shape
    const quads = SUMS[sums].quads(shape)
    const { batches, segments } = batchModes(
      this.#tables,
      this.#views.map(({ slices }) => slices),
      quads,
      this.#workPerEntry(sums),
      this.#device.maxBindingBytes,
    )
    const byteLength = 16 * quads * segments
    if (byteLength > this.#device.maxBindingBytes)
      throw new InputError(
        'memory',
        `The sums over a row's entries take ${formatBytes(byteLength)}, and this graphics card shows a program ${formatBytes(this.#device.maxBindingBytes)} at a time; use the CPU engine or a smaller rank.`,
      )
    const buffer = await this.#device.watch(() => this.#device.createStorage(byteLength))
    const plan = { quads, batches, buffer }
    this.#plans.set(sums, plan)
    return plan
  }

  /** Approximate multiplications of quads per entry. */
  #workPerEntry(sums: SumKind): number {
    const quads = quadsOf(this.#shape)
    return sums === 'gram'
      ? quads * this.#shape.order + 4 * tilesOf(this.#shape)
      : quads * (this.#shape.order + 1)
  }

  /** Enqueues AO iteration number k: a step of every mode, `maxInner` times for the paper's step. */
  async add(run: Iterations & { step: DeviceStep }, k: number): Promise<void> {
    const { step, sample, seed } = run
    const { windows, windowsGroup, modes } = await this.#prepare(step.kind, sample)
    const isPaper = step.kind === 'paper'
    const inner = step.kind === 'paper' ? step.maxInner : 1
    const common: StepWords = {
      stream: stream(seed, purpose.sample, k),
      isPaper,
      sample,
      leastWindow: this.#tables.leastWindow,
      lambda: run.lambda,
      momentum: step.kind === 'paper' ? 0 : step.momentum,
      damping: step.kind === 'newton' ? step.damping : 0,
      hasMomentumFactors: this.#hasMomentumFactors,
    }
    const drawWindows = (from: number, to: number, l: number): Promise<void> =>
      this.#queue.add({
        kernel: windows,
        group: windowsGroup,
        step: { ...common, inner: l, segments: [from, to] },
        groups: Math.ceil((to - from) / WINDOWS_TEAM),
      })
    if (inner === 1) await drawWindows(0, this.#tables.totalSegments, 0)
    if (this.#zeros) for (let i = 1; i < modes.length; i++) await this.#zeros.multiplyColumns(i)
    for (const [i, mode] of this.#tables.modes.entries()) {
      await this.#zeros?.prepare(i)
      for (let l = 0; l < inner; l++) {
        if (inner > 1) await drawWindows(mode.firstSegment, mode.firstSegment + mode.segments.length / 4, l)
        const others = this.#tables.modes.filter((_, o) => o !== i).map(({ firstRow }) => firstRow)
        await this.#addMode(i, modes[i], step.kind, { ...common, mode: i, inner: l, others })
      }
      await this.#zeros?.multiplyColumns(i)
    }
  }

  /** Enqueues one step of mode i, batch by batch: sums, reduction over the segments of long rows, updates. */
  async #addMode(
    i: number,
    kernels: ModeKernels,
    kind: DeviceStep['kind'],
    common: StepWords,
  ): Promise<void> {
    const sums = this.#sumsOf(kind)
    const plan = await this.#planSums(sums)
    const shape = this.#shape
    for (const { rows, segments, long, pieces, entries } of plan.batches[i]) {
      const step = { ...common, base: segments[0], rows }
      for (const { slice, segments } of pieces) {
        const { records, segments: inSlice } = this.#views[i].slices[slice]
        const fraction = (segments[1] - segments[0]) / (inSlice[1] - inSlice[0])
        const covered = Math.min(entries, fraction * (records[1] - records[0]))
        await this.#queue.add({
          kernel: kernels.sum,
          group: kernels.sumGroups[slice],
          step: { ...step, segments, firstRecord: records[0] },
          groups: segments[1] - segments[0],
          layers: sums === 'gram' ? tileGroups(shape, kernels.team) : 1,
          work: covered * (common.sample ?? 1) * this.#workPerEntry(sums),
        })
      }
      if (kernels.reduceGroup && long[1] > long[0])
        await this.#queue.add({
          kernel: kernels.reduce,
          group: kernels.reduceGroup,
          step: { ...step, rows: [long[0], 0], count: long[1] - long[0] },
          groups: long[1] - long[0],
          layers: Math.ceil(plan.quads / reduceWidth(plan.quads)),
        })
      const count = rows[1] - rows[0]
      await this.#queue.add({
        kernel: kernels.update,
        group: kernels.updateGroup,
        step,
        groups: kind === 'gradient' ? Math.ceil((count * quadsOf(shape)) / GRADIENT_ROWS_TEAM) : count,
        work: kind === 'gradient' ? 0 : count * tilesOf(shape) * 16,
      })
    }
  }
}
