/**
 * Node's modules, where this is Node: through process.getBuiltinModule, so that bundlers for browsers see no import of
 * them.
 */
export const node = globalThis.process?.versions?.node
  ? {
      threads: process.getBuiltinModule('node:worker_threads'),
      fs: process.getBuiltinModule('node:fs'),
      os: process.getBuiltinModule('node:os'),
      zlib: process.getBuiltinModule('node:zlib'),
    }
  : undefined
