/** Graphics cards as WebGPU shows them: by the browser, or in Node by the package webgpu (Dawn), if it is installed. */
import { InputError } from '../../base/inputError.ts'
import { node } from '../../base/nodeModules.ts'

/** A card, or a program that stands in for one. */
export interface FoundAdapter {
  adapter: GPUAdapter
  /** For people. */
  name: string
  /** Whether it is a program on the CPU: right, but slower than the CPU engine. */
  isSoftware: boolean
}

/** Programs that stand in for a card: SwiftShader, Mesa's llvmpipe, Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i

/** The best there is; or a sentence that says what is missing. */
export async function findAdapter(): Promise<FoundAdapter> {
  const gpu = await findGpu()
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter)
    throw new InputError(
      'unavailable',
      `${node ? 'No graphics card can be reached: WebGPU finds no adapter. On Linux it needs a Vulkan driver and libvulkan1' : 'This browser shows no graphics card to WebGPU'}; docs/gpu.md tells more.`,
    )
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info
  const isSoftware = isFallbackAdapter === true || SOFTWARE.test(`${architecture} ${device} ${description}`)
  return { adapter, name: nameOf({ vendor, architecture, device, description }), isSoftware }
}

function nameOf({
  vendor,
  architecture,
  device,
  description,
}: Record<'vendor' | 'architecture' | 'device' | 'description', string>): string {
  // A device that is a number says nothing.
  const known = /^0x|^$/.test(device) ? `${vendor} ${architecture}`.trim() : device
  return known || description || 'a graphics card'
}

/** Kept for as long as the process lives: what it made needs it. */
let found: Promise<GPU> | undefined

function findGpu(): Promise<GPU> {
  const own = globalThis.navigator?.gpu
  if (own) return Promise.resolve(own)
  found ??= node ? openDawn() : Promise.reject(unavailable('This browser has no WebGPU.'))
  return found
}

/** The kernels write shared memory before they read it: that it is zero before costs time, and far more to compile. */
const DAWN = ['enable-dawn-features=disable_workgroup_init']

async function openDawn(): Promise<GPU> {
  // By a name that bundlers do not follow, and whose types would be in the way of those of browsers.
  const name = 'webgpu'
  try {
    const { create } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
    return create(DAWN)
  } catch (cause) {
    throw new InputError('unavailable', whyNotStarted(cause), { cause })
  }
}

/** What is to be told of Dawn that cannot be loaded: it may be there, and its parts not fit the system. */
export function whyNotStarted(cause: unknown): string {
  const { code, message } = cause as { code?: string; message: string }
  return code === 'ERR_MODULE_NOT_FOUND'
    ? 'The GPU engine needs the package webgpu, which is not installed: npm install webgpu, with --global if lacuna is.'
    : `WebGPU cannot be started: ${message}`
}

const unavailable = (message: string): InputError => new InputError('unavailable', message)
