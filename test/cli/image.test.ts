import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawFacade, hideAtRandom, quality } from '#lacuna/image/index.js'
import { readImage, writePng } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-image-cli-'))
const run = (line: string) => lacuna(line.split(' '), { cwd })
const file = (name: string) => join(cwd, name)
const picture = async (name: string) => (await readImage(file(name))).picture
afterAll(() => rmSync(cwd, { recursive: true }))

const facade = drawFacade(96, 64)
const scratch = Uint8Array.from({ length: 96 * 64 }, (_, p) => (Math.abs((p % 96) - p / 96 - 10) < 2 ? 0 : 1))

beforeAll(async () => {
  await writePng(file('facade.png'), facade)
  await writePng(file('scratched.png'), facade, scratch)
  const mask = {
    width: 96,
    height: 64,
    channels: 1,
    maximum: 255,
    data: scratch.map((is) => 255 * (1 - is)),
  } as const
  await writePng(file('mask.png'), mask)
  await writePng(file('small.png'), drawFacade(20, 20))
  writeFileSync(file('text.png'), 'no picture')
})

describe('lacuna image', () => {
  it('image hides pixels, restores them, writes all files and reports the error', async () => {
    const { code, stdout, stderr } = await run(
      'image facade.png --missing 0.8 --seed 5 --epochs 3 -o out.png --damaged left.png --compare all.png --json -q',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const report = JSON.parse(stdout)
    const known = hideAtRandom(facade, { share: 0.8, seed: 5 })
    const restored = await picture('out.png')
    const { psnr, relative } = quality(facade, restored, known)
    expect(report).toMatchObject({ psnr, relative, hidden: 3 * Math.round(0.8 * 6144), setting: 'patches' })
    expect(restored.data.filter((_, at) => known[at])).toEqual(facade.data.filter((_, at) => known[at]))
    const left = await readImage(file('left.png'))
    expect(left.alpha?.map((value) => (value ? 1 : 0))).toEqual(known.filter((_, at) => at % 3 === 0))
    expect(await picture('all.png')).toMatchObject({ width: 3 * 96 + 2 * 2, height: 64 })
  })

  it('image prints the result as text', async () => {
    const { stdout, stderr } = await run('image facade.png --epochs 2 --per-channel -o people.png')
    expect(stderr).toMatch(/facade\.png: 96×64, colour, 8 bits; 90% of the values are hidden/)
    expect(stderr).toMatch(/Model 1 of 1: .* entries, rank 24/)
    expect(stdout).toMatch(/PSNR \d+\.\d\d dB, relative error 0\.\d/)
  })

  it('image fills transparent and masked pixels alike, with an error only where --truth is given', async () => {
    const holes = await run('image scratched.png --epochs 2 -o a.png --compare two.png --json -q')
    expect(JSON.parse(holes.stdout)).not.toHaveProperty('psnr')
    expect(await picture('two.png')).toMatchObject({ width: 2 * 96 + 2 })
    const masked = await run(
      'image facade.png --mask mask.png --truth facade.png --epochs 2 -o b.png --json -q',
    )
    expect(await picture('b.png')).toEqual(await picture('a.png'))
    expect(JSON.parse(masked.stdout).psnr).toBeGreaterThan(18)
  })

  it('image --paper uses the paper’s setting', async () => {
    const { stdout } = await run('image facade.png --paper --epochs 2 -o paper.png --json -q')
    expect(JSON.parse(stdout)).toMatchObject({
      setting: 'paper',
      models: [{ dims: [64, 96, 3], entries: 3 * 614, rank: 50, epochs: 2 }],
    })
  })

  it('image stops at Ctrl-C with 130 and writes a whole picture', async () => {
    let sent = false
    const run = await lacuna('image facade.png --paper --epochs 100000000 -o stopped.png'.split(' '), {
      cwd,
      during: (pid, soFar) => {
        if (!sent && soFar.includes('epoch')) {
          sent = true
          process.kill(pid, 'SIGINT')
        }
      },
    })
    expect(run.code).toBe(130)
    expect(run.stdout).toContain('Interrupted after')
    expect(await picture('stopped.png')).toMatchObject({ width: 96, height: 64 })
  })

  it.each([
    ['image text.png -o x.png', 'text.png: this is no picture'],
    ['image none.png -o x.png', 'none.png: there is no such file'],
    ['image facade.png', "required option '-o, --output <file>'"],
    ['image facade.png -o x.jpg', 'x.jpg: pictures are written as PNG'],
    ['image facade.png -o nowhere/x.png', 'nowhere'],
    ['image facade.png --missing 1.5 -o x.png', '1.5; it must lie between 0 and 1'],
    ['image facade.png --mask small.png -o x.png', 'The mask is 20×20'],
    ['image facade.png --mask mask.png --hole-colour ff00ff -o x.png', 'do not go together'],
    ['image facade.png --hole-colour 123456 -o x.png', 'nothing is missing by the colour 123456'],
    ['image facade.png --hole-colour pink -o x.png', 'RRGGBB'],
    ['image facade.png --truth small.png -o x.png', '--truth is for pictures with holes'],
    ['image scratched.png --truth small.png -o x.png', 'small.png is 20×20'],
    ['image facade.png --paper --plain -o x.png', 'do not go together'],
  ])('lacuna %s: one sentence, exit 2, nothing written', async (line, message) => {
    const before = readdirSync(cwd).sort()
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const complaint = stderr.split('\n').filter((l) => /^(lacuna|error):/.test(l))
    expect(complaint).toHaveLength(1)
    expect(complaint[0]).toContain(message)
    expect(readdirSync(cwd).sort()).toEqual(before)
  })
})

describe('lacuna demo', () => {
  it('demo restores a drawn picture, writes it before and after, and prints what to try next', async () => {
    const { code, stdout } = await run('demo --width 160')
    expect(code).toBe(0)
    const psnr = Number(/PSNR (\d+\.\d) dB on the hidden/.exec(stdout)?.[1])
    expect(psnr).toBeGreaterThan(19)
    expect(stdout).toMatch(/image lacuna-demo-original\.png --missing 0\.95/)
    expect(existsSync(file('lacuna-demo-original.png'))).toBe(true)
    expect(await picture('lacuna-demo.png')).toMatchObject({ width: 3 * 160 + 2 * 2, height: 120 })
  })
})
