// Builds the website into site/dist: static files for any host, under any path, with the studio inside.
//   npm run site               builds it
//   npm run site -- --check    builds it, opens it in Chromium and prints its figures
//   npm run site -- --serve    builds it and serves it, without any special headers
// @ts-check
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { NOT_FOUND } from './site/notFound.mjs'
import { pictureSizes } from './site/pictureSizes.mjs'
import { makeRelative } from './site/relativeBase.mjs'
import { linkStudioToSite, stagePages } from './site/stage.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)
const site = join(root, 'site')
const stage = join(site, '.stage')
const dist = join(site, 'dist')

const run = (
  /** @type {string} */ command,
  /** @type {string[]} */ args,
  /** @type {object} */ options = {},
) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options })

run(process.execPath, ['scripts/build.mjs', '--quiet'])
installPackages()
rmSync(stage, { recursive: true, force: true })
mkdirSync(stage)
const reference = execFileSync(process.execPath, ['packages/cli/dist/lacuna.js', 'man', '--markdown'], {
  encoding: 'utf8',
})
stagePages(root, stage, reference)
cpSync(join(site, '.vitepress'), join(stage, '.vitepress'), { recursive: true })
writeFileSync(join(stage, '.vitepress/sizes.json'), JSON.stringify(await pictureSizes(stage)))
symlinkSync(join(site, 'node_modules'), join(stage, 'node_modules'))
await bundleLive()
// It imports the library, which this script has built.
await (await import('./site/hero.mjs')).drawHero(join(stage, 'public/live'))
cpSync('packages/cli/dist/studio', join(stage, 'public/studio'), { recursive: true })
linkStudioToSite(join(stage, 'public/studio/index.html'))
run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', stage])
makeRelative(dist)
writeFileSync(join(dist, '404.html'), NOT_FOUND)
console.log('The site is in site/dist.')
if (process.argv.includes('--check')) await (await import('./site/check.mjs')).checkSite(dist)
if (process.argv.includes('--serve')) await (await import('./site/server.mjs')).serveStatic(dist, 4244, true)

/** Installs the packages of the site, exactly those of its lock file, unless they are there. */
function installPackages() {
  const installed = join(site, 'node_modules/.package-lock.json')
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs > statSync(join(site, 'package-lock.json')).mtimeMs
  if (isCurrent) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  run('npm', args, { cwd: site, shell: process.platform === 'win32' })
}

/** Bundles the completion of the home page: the library with the kernels of the ranks, each loaded when it is needed. */
async function bundleLive() {
  await build({
    configFile: false,
    root,
    base: './',
    logLevel: 'warn',
    resolve: { conditions: ['browser', 'module', 'import', 'default'] },
    worker: { format: 'es' },
    build: {
      outDir: join(stage, 'public/live'),
      target: 'es2023',
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      lib: { entry: join(site, 'live/live.js'), formats: ['es'], fileName: 'live' },
      rolldownOptions: { checks: { bundlerTimings: false } },
      minify: true,
    },
  })
}
