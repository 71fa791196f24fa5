/**
 * Finds a WebGPU adapter: the browser's, or in Node that of the package webgpu (Dawn), if it is installed.
 */
import { InputError } from '../../base/inputError.ts'
import { node } from '../../base/nodeModules.ts'

/** A WebGPU adapter, with its name for users. */
export interface FoundAdapter {
  adapter: GPUAdapter
  /** The name that users see. */
  name: string
  /** Whether the adapter is an emulation on the CPU: correct, but slower than the CPU engine. */
  isSoftware: boolean
}

/** Matches the names of software adapters: SwiftShader, Mesa's llvmpipe, Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i

/**
 * Finds the adapter that WebGPU prefers for high performance; throws an InputError that names what is missing
 * if there is no adapter.
 */
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
  return { adapter, name: displayName({ vendor, architecture, device, description }), isSoftware }
}

/** The name of a GPU for users: the device, else vendor and architecture, else the description. */
function displayName({
  vendor,
  architecture,
  device,
  description,
}: Record<'vendor' | 'architecture' | 'device' | 'description', string>): string {
  // A hexadecimal device number is no name.
  const name = /^0x|^$/.test(device) ? `${vendor} ${architecture}`.trim() : device
  return name || description || 'a graphics card'
}

/** Dawn's GPU object in Node, cached for the life of the process: devices are valid only as long as it is. */
let dawn: Promise<GPU> | undefined

/** The browser's GPU object, or Dawn's; rejects with an InputError if there is neither. */
function findGpu(): Promise<GPU> {
  const own = globalThis.navigator?.gpu
  if (own) return Promise.resolve(own)
  dawn ??= node ? openDawn() : Promise.reject(unavailable('This browser has no WebGPU.'))
  return dawn
}

/**
 * Options of Dawn. Workgroup memory is not zeroed: the kernels write it before they read it, and zeroing
 * costs time, above all at compilation.
 */
const DAWN_OPTIONS = ['enable-dawn-features=disable_workgroup_init']

/** Imports the package webgpu and starts Dawn; throws an InputError if either fails. */
async function openDawn(): Promise<GPU> {
  // A variable, so that bundlers do not follow the import and its types do not replace those of browsers.
  const name = 'webgpu'
  try {
    const { create } = await import(/* @vite-ignore */ /* webpackIgnore: true */ name)
    return create(DAWN_OPTIONS)
  } catch (cause) {
    throw new InputError('unavailable', describeStartFailure(cause), { cause })
  }
}

/**
 * The message for a failed import or start of Dawn: the package is missing, or it does not fit the system.
 */
export function describeStartFailure(cause: unknown): string {
  const { code, message } = cause as { code?: string; message: string }
  return code === 'ERR_MODULE_NOT_FOUND'
    ? 'The GPU engine needs the package webgpu, which is not installed: npm install webgpu, with --global if lacuna is.'
    : `WebGPU cannot be started: ${message}`
}

/** An InputError that the GPU engine is unavailable. */
const unavailable = (message: string): InputError => new InputError('unavailable', message)
