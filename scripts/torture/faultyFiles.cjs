/**
 * Loaded into a command by NODE_OPTIONS=--require: a file layer with faults, which $TORTURE_FAULT chooses.
 *   count   counts the operations that change files, and writes the number to `report` at the exit
 *   kill    kills the process before the operation number `at`, or in the middle of it if it is a write
 *   renamed kills the process as soon as a file that begins with the text `start` has been renamed
 *   error   lets the operation number `at` fail with `code`; if `stays`, all later writes too (a full disk)
 *   short   lets every read return fewer bytes than were asked for, in worker threads too
 *   clock   lets the clocks jump: Date.now both ways by a day, performance.now once ahead by an hour
 *   device  destroys a GPU device at its submission number `at`
 * A fault that has come is reported by a line in `report`.
 */
// @ts-check
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const { performance } = require('node:perf_hooks')
const { isMainThread } = require('node:worker_threads')

const fault = JSON.parse(process.env.TORTURE_FAULT ?? '{}')
const { closeSync, openSync, writeSync } = fs

/** Operations that change files, in fs (with Sync and a callback) and fs/promises. */
const CHANGES = [
  'rename',
  'unlink',
  'rm',
  'link',
  'mkdir',
  'mkdtemp',
  'copyFile',
  'writeFile',
  'appendFile',
  'symlink',
]
/** Operations of open files that change them. */
const HANDLE_CHANGES = ['write', 'writev', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate', 'chmod']

let operations = 0
let [isDue, hasCome] = [false, false]

/** Appends a text to the report, by operations that are not watched. @param {string} text */
function report(text) {
  const file = openSync(fault.report, 'a')
  writeSync(file, text)
  closeSync(file)
}

/** An error of the system. @param {string} syscall */
const systemError = (syscall) =>
  Object.assign(new Error(`${fault.code}: a fault for tests, ${syscall}`), {
    code: fault.code,
    errno: -1,
    syscall,
  })

/**
 * Called before each operation that changes files; kills the process or throws where the fault is due.
 * @param {string} name of the operation
 * @param {() => void} [tear] does the first half of it
 */
function beforeChange(name, tear) {
  operations++
  const takesSpace = /^(write|append|open|mkdir|link|symlink|copyFile)/.test(name)
  // A full disk lets files be removed and renamed.
  if (fault.code === 'ENOSPC' && !takesSpace) return
  isDue ||= operations >= fault.at
  if (!isDue) return
  if (!hasCome) report(`${name} ${operations}\n`)
  if (fault.stays || !hasCome) {
    hasCome = true
    if (fault.torn) tear?.()
    if (fault.kind === 'kill') process.kill(process.pid, 'SIGKILL')
    if (fault.kind === 'error') throw systemError(name)
  }
}

/** Whether flags of open allow writing. @param {unknown} flags */
const allowsWriting = (flags) =>
  typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(String(flags ?? 'r'))

/** Writes the first half of a chunk to an open file. @param {number} fd @param {unknown} chunk */
function writeHalf(fd, chunk) {
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  if (ArrayBuffer.isView(bytes) && bytes.byteLength > 1)
    writeSync(fd, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1))
}

/** Replaces a method by one that calls `wrapped` with the original. @param {any} owner @param {string} name @param {(original: Function) => Function} wrap */
function replace(owner, name, wrap) {
  if (typeof owner[name] === 'function') owner[name] = wrap(owner[name])
}

/** Lets changes of files pass by beforeChange. */
function watchChanges() {
  for (const name of CHANGES) {
    replace(fs, `${name}Sync`, (original) => (/** @type {any[]} */ ...args) => {
      beforeChange(name)
      return original.apply(fs, args)
    })
    replace(fs.promises, name, (original) => async (/** @type {any[]} */ ...args) => {
      beforeChange(name)
      return original.apply(fs.promises, args)
    })
    replace(fs, name, (original) => (/** @type {any[]} */ ...args) => {
      const done = args[args.length - 1]
      try {
        beforeChange(name)
      } catch (error) {
        return process.nextTick(done, error)
      }
      return original.apply(fs, args)
    })
  }
  replace(fs, 'writeSync', (original) => (/** @type {any[]} */ ...args) => {
    if (args[0] > 2) beforeChange('write', () => writeHalf(args[0], args[1]))
    return original.apply(fs, args)
  })
  replace(fs, 'fsyncSync', (original) => (/** @type {number} */ fd) => {
    beforeChange('fsync')
    return original.call(fs, fd)
  })
  replace(fs, 'write', (original) => (/** @type {any[]} */ ...args) => {
    try {
      beforeChange('write', () => writeHalf(args[0], args[1]))
    } catch (error) {
      return process.nextTick(args[args.length - 1], error)
    }
    return original.apply(fs, args)
  })
  replace(fs, 'openSync', (original) => (/** @type {any[]} */ ...args) => {
    if (allowsWriting(args[1])) beforeChange('open')
    return original.apply(fs, args)
  })
  replace(fs.promises, 'open', (original) => async (/** @type {any[]} */ ...args) => {
    if (allowsWriting(args[1])) beforeChange('open')
    const handle = await original.apply(fs.promises, args)
    for (const name of HANDLE_CHANGES)
      replace(handle, name, (method) => async (/** @type {any[]} */ ...given) => {
        beforeChange(name, /^write|append/.test(name) ? () => writeHalf(handle.fd, given[0]) : undefined)
        return method.apply(handle, given)
      })
    return handle
  })
}

/** Kills the process as soon as a file that begins with `start` has been renamed. */
function killAfterRename() {
  replace(fs, 'renameSync', (original) => (/** @type {string} */ from, /** @type {string} */ to) => {
    original.call(fs, from, to)
    if (fs.readFileSync(to, 'latin1').startsWith(fault.start)) process.kill(process.pid, 'SIGKILL')
  })
}

/** Deterministic numbers in [0, 1). */
let state = (fault.seed ?? 1) >>> 0
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}

/** A length that is shorter than what was asked for. @param {number} length */
const shorter = (length) => (length > 1 ? Math.max(1, Math.floor(length * random())) : length)

/** Lets reads at a position or into a buffer return less than was asked for. */
function shortenReads() {
  replace(
    fs,
    'readSync',
    (original) =>
      (/** @type {any} */ fd, /** @type {any} */ buffer, /** @type {any[]} */ ...rest) =>
        typeof rest[1] === 'number'
          ? original.call(fs, fd, buffer, rest[0], shorter(rest[1]), rest[2])
          : original.call(fs, fd, buffer, ...rest),
  )
  replace(fs.promises, 'open', (original) => async (/** @type {any[]} */ ...args) => {
    const handle = await original.apply(fs.promises, args)
    replace(
      handle,
      'read',
      (method) =>
        (/** @type {any[]} */ ...given) =>
          typeof given[2] === 'number'
            ? method.call(handle, given[0], given[1], shorter(given[2]), given[3])
            : method.apply(handle, given),
    )
    return handle
  })
}

/** Lets the clocks jump. */
function jumpClocks() {
  const [now, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)]
  let [days, hours] = [0, 0]
  Date.now = () => {
    if (random() < 0.2) days = Math.floor(3 * random()) - 1
    return now() + 86_400_000 * days
  }
  performance.now = () => {
    if (hours === 0 && random() < 0.05) hours = 1
    return monotonic() + 3_600_000 * hours
  }
}

/** Gives the command a navigator.gpu of Dawn whose first device is destroyed at a submission. */
function loseDevice() {
  /** @type {any} */
  let gpu
  let isLost = false
  const requestAdapter = async (/** @type {any} */ options) => {
    const webgpu = await import('webgpu')
    gpu ??= webgpu.create([])
    const adapter = await gpu.requestAdapter(options)
    const requestDevice = adapter.requestDevice.bind(adapter)
    adapter.requestDevice = async (/** @type {any} */ wanted) => {
      const device = await requestDevice(wanted)
      const { queue } = device
      const prototype = Object.getPrototypeOf(queue)
      const submit = prototype.submit
      let submissions = 0
      prototype.submit = function (/** @type {any[]} */ ...args) {
        if (++submissions === fault.at && !isLost) {
          isLost = true
          report('submit\n')
          device.destroy()
        }
        return submit.apply(this, args)
      }
      return device
    }
    return adapter
  }
  Object.defineProperty(globalThis, 'navigator', { value: { gpu: { requestAdapter } }, configurable: true })
}

if (fault.kind === 'short') shortenReads()
if (isMainThread) {
  if (fault.kind === 'clock') jumpClocks()
  if (fault.kind === 'renamed') killAfterRename()
  if (fault.kind === 'device') loseDevice()
  if (['count', 'kill', 'error'].includes(fault.kind)) watchChanges()
  if (fault.kind === 'count') process.on('exit', () => report(String(operations)))
}
syncBuiltinESMExports()
