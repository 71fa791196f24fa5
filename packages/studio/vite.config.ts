/** Build settings of the studio: Vite bundles it into packages/cli/dist/studio. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { contentSecurityPolicy, isolationHeaders } from './policy.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** How long each plugin took is of no interest here. */
const checks = { bundlerTimings: false }

export default defineConfig({
  root: folder('.'),
  base: './', // any static host, any folder of it
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder('../cli/dist/studio'),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0, // the policy knows no data: URLs but for images
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks },
    license: { fileName: 'licenses.md' }, // of what is bundled: Preact, Plot, D3 …
  },
  worker: { format: 'es', rolldownOptions: { checks } },
  resolve: { conditions: ['browser', 'module', 'import', 'default'] },
  server: { headers: isolationHeaders },
  plugins: [
    {
      name: 'content-security-policy',
      apply: 'build',
      transformIndexHtml: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
          injectTo: 'head-prepend',
        },
      ],
    },
  ],
})
