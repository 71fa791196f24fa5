/**
 * Built-in modules of Node, undefined in a browser. They are loaded by process.getBuiltinModule, so that
 * bundlers for browsers find no import of them.
 */
export const node = globalThis.process?.versions?.node
  ? {
      threads: process.getBuiltinModule('node:worker_threads'),
      fs: process.getBuiltinModule('node:fs'),
      os: process.getBuiltinModule('node:os'),
      zlib: process.getBuiltinModule('node:zlib'),
      v8: process.getBuiltinModule('node:v8'),
      vm: process.getBuiltinModule('node:vm'),
    }
  : undefined
