/** The server of `lacuna studio`, and the command. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FolderServer, serveFolder } from '#cli/commands/studio/server.ts'

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))

/** A script that is worth compressing. */
const SCRIPT = 'export const gaps = [1, 2, 3]\n'.repeat(200)

let parent: string
let server: FolderServer

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lacuna-studio-'))
  const folder = join(parent, 'public')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html>hello')
  await writeFile(join(folder, 'assets', 'kernel.wasm'), 'wasm')
  await writeFile(join(folder, 'assets', 'view.js'), SCRIPT)
  await writeFile(join(folder, 'picture.png'), SCRIPT)
  await writeFile(join(parent, 'secret.txt'), 'secret')
  await symlink(join(parent, 'secret.txt'), join(folder, 'link.txt'))
  server = await serveFolder(folder, { host: '127.0.0.1', port: 0 })
})

afterAll(async () => {
  await server?.close()
  await rm(parent, { recursive: true, force: true })
})

/** The path as it is: fetch would tidy it up. */
function get(
  path: string,
  method = 'GET',
  sent: Record<string, string> = {},
): Promise<{ status: number; body: string; bytes: Buffer; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, method, headers: sent }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece) => pieces.push(piece))
      response.on('end', () => {
        const bytes = Buffer.concat(pieces)
        resolve({
          status: response.statusCode ?? 0,
          body: bytes.toString(),
          bytes,
          headers: response.headers,
        })
      })
    })
      .on('error', reject)
      .end()
  })
}

describe('the server', () => {
  it("the studio's server sends the headers that isolate the page", async () => {
    const { status, body, headers } = await get('/')
    expect({ status, body }).toEqual({ status: 200, body: '<!doctype html>hello' })
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'x-content-type-options': 'nosniff',
    })
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
    expect((await get('/assets/kernel.wasm')).headers['content-type']).toBe('application/wasm')
  })

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/link.txt',
    '//secret.txt',
    '/%00',
    '/%zz',
    '/assets',
    '/nothing.js',
  ])("the studio's server answers %s with 404", async (path) => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body).not.toContain('secret')
  })

  it("the studio's server allows only GET and HEAD", async () => {
    expect((await get('/', 'POST')).status).toBe(405)
    expect(await get('/', 'HEAD')).toMatchObject({ status: 200, body: '' })
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ] as const)(
    "the studio's server compresses a script for a client that accepts %s",
    async (accepted, coding, decompress) => {
      const { headers, bytes } = await get('/assets/view.js', 'GET', { 'Accept-Encoding': accepted })
      expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' })
      expect(Number(headers['content-length'])).toBe(bytes.length)
      expect(bytes.length).toBeLessThan(SCRIPT.length / 10)
      expect(decompress(bytes).toString()).toBe(SCRIPT)
    },
  )

  it("the studio's server compresses neither pictures, nor for clients that do not ask for it", async () => {
    for (const [path, sent] of [
      ['/picture.png', { 'Accept-Encoding': 'br' }],
      ['/assets/view.js', {}],
      ['/assets/view.js', { 'Accept-Encoding': 'identity, br;q=0, gzip; q=0' }],
    ] as const) {
      const { headers, body } = await get(path, 'GET', sent)
      expect(headers['content-encoding']).toBeUndefined()
      expect(body).toBe(SCRIPT)
    }
  })

  it("the studio's server answers 304 to a client that has the file, and 200 once it has changed", async () => {
    const path = join(parent, 'public', 'page.html')
    await writeFile(path, SCRIPT)
    const first = await get('/page.html', 'GET', { 'Accept-Encoding': 'br' })
    const again = { 'Accept-Encoding': 'br', 'If-None-Match': `W/"other", ${first.headers.etag}` }
    expect(await get('/page.html', 'GET', again)).toMatchObject({ status: 304, body: '' })
    const gzipped = { ...again, 'Accept-Encoding': 'gzip' } // another coding is another representation
    expect((await get('/page.html', 'GET', gzipped)).status).toBe(200)
    await writeFile(path, `${SCRIPT}// a new version`)
    const changed = await get('/page.html', 'GET', again)
    expect(changed.status).toBe(200)
    expect(changed.headers.etag).not.toBe(first.headers.etag)
  })

  it("the studio's server takes another port if the requested one is in use", async () => {
    const second = await serveFolder(join(parent, 'public'), { host: '127.0.0.1', port: server.port })
    expect(second.port).not.toBe(server.port)
    expect(await (await fetch(second.url)).text()).toBe('<!doctype html>hello')
    await second.close()
  })
})

describe('lacuna studio', () => {
  it('lacuna studio prints its address, serves the page and stops on Ctrl-C', async () => {
    const child = spawn(process.execPath, [MAIN, 'studio', '--no-open', '--port', '5333'])
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const url = await new Promise<string>((resolve) => {
      let text = ''
      child.stdout.on('data', (piece) => {
        text += piece
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)
        if (found) resolve(found[0])
      })
    })
    expect(await (await fetch(url)).text()).toContain('Lacuna Studio')
    child.kill('SIGINT')
    expect(await exit).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('lacuna studio refuses a port above 65535 in one sentence', async () => {
    const child = spawn(process.execPath, [MAIN, 'studio', '--no-open', '--port', '70000'])
    let text = ''
    child.stderr.on('data', (piece) => {
      text += piece
    })
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect({ code, text }).toEqual({ code: 2, text: 'lacuna: --port is 70000; ports go up to 65535.\n' })
  })
})
