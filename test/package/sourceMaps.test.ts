/** Source maps of the compiled library: stack traces and debuggers show the lines of the TypeScript sources. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const LIBRARY = fileURLToPath(new URL('../../packages/lacuna', import.meta.url))
const read = (path: string): string[] => readFileSync(join(LIBRARY, path), 'utf8').split('\n')

/** The compiled modules, without extension; those in `embedded` are not compiled from TypeScript. */
const modules = readdirSync(join(LIBRARY, 'dist'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.js') && !file.startsWith('embedded'))
  .map((file) => file.slice(0, -'.js'.length))

/** Statements that begin alike in both languages; tsc indents them by multiples of 4. */
const STATEMENT = /^(?: {4})*(throw new \w+|return \w+|const \w+|for \(const \w+)\b/

/** A function that tsc adds to modules that import by a path known at run time; no source has it. */
const HELPER = /^var __\w+ = [\s\S]*?^};$/m
const blank = (text: string): string => text.replaceAll(/[^\n]/g, '')

describe('the source maps of the library', () => {
  it('an error of the library under node --enable-source-maps names the TypeScript file and the line of its throw', () => {
    const message = 'needs at least 2 modes'
    const line = read('src/tensor/checkTensor.ts').findIndex((text) => text.includes(message)) + 1
    const program = `import { tensorFromArray } from ${JSON.stringify(join(LIBRARY, 'dist/index.js'))}
      try { tensorFromArray([1, 2]) } catch (error) { console.log(error.stack) }`
    const stack = execFileSync(
      process.execPath,
      ['--enable-source-maps', '--input-type=module', '--eval', program],
      { encoding: 'utf8' },
    )
    expect(stack).toContain(message)
    const frames = stack.split('\n').filter((text) => /^\s+at /.test(text))
    expect(frames[0]).toContain(`${join(LIBRARY, 'src/tensor/checkTensor.ts')}:${line}:`)
    expect(frames.filter((frame) => frame.includes(join(LIBRARY, 'dist')))).toEqual([])
  })

  it('every statement of every compiled module is mapped to the line of the source that has it', () => {
    let statements = 0
    const wrong: string[] = []
    // The shaders are text in template literals, which looks like statements.
    for (const module of modules.filter((name) => !name.startsWith('engine/gpu/wgsl/'))) {
      const map = new SourceMap(JSON.parse(read(`dist/${module}.js.map`).join('\n')))
      const source = read(`src/${module}.ts`)
      const code = read(`dist/${module}.js`).join('\n').replace(HELPER, blank).split('\n')
      for (const [number, text] of code.entries()) {
        const [, statement] = STATEMENT.exec(text) ?? []
        if (statement === undefined) continue
        statements++
        const entry = map.findEntry(number, text.indexOf(statement))
        const original = 'originalLine' in entry ? source[entry.originalLine] : ''
        if (!original.includes(statement)) wrong.push(`${module}.js:${number + 1} ${text} → ${original}`)
      }
    }
    expect(wrong).toEqual([])
    expect(statements).toBeGreaterThan(5000)
  })

  it('the sources in the maps have the lines of the sources, without doc comments', () => {
    for (const module of modules) {
      const { sourcesContent } = JSON.parse(read(`dist/${module}.js.map`).join('\n'))
      const source = read(`src/${module}.ts`)
      const lines: string[] = sourcesContent[0].split('\n')
      expect([module, lines.length]).toEqual([module, source.length])
      expect(lines.filter((line, k) => line !== source[k] && line !== '')).toEqual([])
      expect(lines.filter((line) => /^\s*\/\*\*/.test(line))).toEqual([])
    }
  })
})
