/**
 * Type-checks programs in folders with a version of TypeScript that has a JavaScript API:
 *   node checkTypes.mjs 5.4 FOLDER …
 * prints the errors in the programs and in the declarations of the packages that they import. Unlike tsc it does not check the
 * declarations of Node and of TypeScript itself, which take most of the time.
 */
// @ts-check
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [version, ...folders] = process.argv.slice(2)
const ts = createRequire(import.meta.url)(`typescript-${version}`)
for (const folder of folders) {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile)
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram(fileNames, options, host)
  const found = [...errors, ...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  for (const file of program.getSourceFiles())
    if (!/\/node_modules\/(typescript-|@types\/|undici-types\/)/.test(file.fileName))
      found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
  process.stdout.write(ts.formatDiagnostics(found, host))
}
