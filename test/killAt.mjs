/**
 * Ends the process by SIGKILL at a chosen call of the file system, without strace:
 *   KILL_AT='{"call":7}' node --import ./test/killAt.mjs …
 * `call` is the number of the call, from 1, before which the process ends. With `renamed`, it ends instead as
 * soon as a file that begins with this text has been renamed. Counted are the calls that change a folder or a
 * file: open for writing, write, change of permissions, sync, link, rename and removal.
 */
// @ts-check
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { call = Infinity, renamed } = JSON.parse(process.env.KILL_AT ?? '{}')
let calls = 0

/** Ends the process at once. */
function end() {
  process.kill(process.pid, 'SIGKILL')
  for (;;); // the signal comes before the next call
}

/**
 * Makes a method count its calls.
 * @param {any} object @param {string} name @param {(args: any[]) => boolean} [isCounted]
 */
function count(object, name, isCounted = () => true) {
  const original = object[name]
  object[name] = function (/** @type {any[]} */ ...args) {
    if (isCounted(args) && ++calls === call) end()
    return original.apply(this, args)
  }
}

const handle = await fs.promises.open('/dev/null')
const FileHandle = Object.getPrototypeOf(handle)
await handle.close()
for (const name of ['writeFile', 'chmod', 'sync']) count(FileHandle, name)
count(fs.promises, 'open', ([, flags]) => flags !== undefined && flags !== 'r')
for (const name of ['linkSync', 'copyFileSync', 'rmSync', 'renameSync']) count(fs, name)
count(fs.promises, 'rm')

const { renameSync } = fs
if (renamed !== undefined)
  fs.renameSync = (from, to) => {
    renameSync(from, to)
    if (fs.readFileSync(to, 'latin1').startsWith(renamed)) end()
  }
syncBuiltinESMExports()
