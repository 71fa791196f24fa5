/**
 * Finds a WebGPU adapter: the browser's, or in Node that of the package webgpu (Dawn), if it is installed.
 */
import { InputError } from '../../base/inputError.ts'
import { node } from '../../base/nodeModules.ts'

/** A GPU, or a software adapter. */
export interface FoundAdapter {
  adapter: GPUAdapter
  /** The name that users see. */
  name: string
  /** Whether it is an emulation on the CPU: correct, but slower than the CPU engine. */
  isSoftware: boolean
}

/** Software adapters: SwiftShader, Mesa's llvmpipe, Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i

/** Finds the fastest adapter; throws an InputError that names what is missing. */
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
  // A hexadecimal device number is no name.
  const known = /^0x|^$/.test(device) ? `${vendor} ${architecture}`.trim() : device
  return known || description || 'a graphics card'
}

/** Cached for the life of the process: devices need it. */
let found: Promise<GPU> | undefined

function findGpu(): Promise<GPU> {
  const own = globalThis.navigator?.gpu
  if (own) return Promise.resolve(own)
  found ??= node ? openDawn() : Promise.reject(unavailable('This browser has no WebGPU.'))
  return found
}

/**
 * The kernels write workgroup memory before they read it; zeroing it would cost time, and compile time above
 * all.
 */
const DAWN = ['enable-dawn-features=disable_workgroup_init']

async function openDawn(): Promise<GPU> {
  // A variable, so that bundlers do not follow the import and its types do not replace those of browsers.
  const name = 'webgpu'
  try {
    const { create } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
    return create(DAWN)
  } catch (cause) {
    throw new InputError('unavailable', describeStartFailure(cause), { cause })
  }
}

/** The sentence for a failed import of Dawn: the package is missing, or it does not fit the system. */
export function describeStartFailure(cause: unknown): string {
  const { code, message } = cause as { code?: string; message: string }
  return code === 'ERR_MODULE_NOT_FOUND'
    ? 'The GPU engine needs the package webgpu, which is not installed: npm install webgpu, with --global if lacuna is.'
    : `WebGPU cannot be started: ${message}`
}

const unavailable = (message: string): InputError => new InputError('unavailable', message)
