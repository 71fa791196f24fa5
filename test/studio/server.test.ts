/** The server of `lacuna studio`, and the command. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FolderServer, serveFolder } from '#cli/commands/studio/server.ts'

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))

let parent: string
let server: FolderServer

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'lacuna-studio-'))
  const folder = join(parent, 'public')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html>hello')
  await writeFile(join(folder, 'assets', 'kernel.wasm'), 'wasm')
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
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: server.port, path, method }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
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
