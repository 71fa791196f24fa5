/** HTTP headers of the studio, for the server of `lacuna studio` and for Vite. */

/** Content-Security-Policy: the page may load and run only what comes from its own folder. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:", // the library starts its threads from embedded source text
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Plot puts a style element into each chart
  "img-src 'self' blob: data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Headers that isolate the page, without which it cannot share memory with its worker threads. */
export const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
