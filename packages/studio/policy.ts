/**
 * What a page of the studio may do: run, draw and compute what comes from its own folder, and nothing else.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:", // the library starts its threads from text of its own
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Plot puts a style element into each chart
  "img-src 'self' blob: data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** With these a page may share memory with its worker threads. */
export const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
}
