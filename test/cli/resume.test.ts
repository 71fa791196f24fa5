/** Runs that are interrupted, killed or out of disk resume where they were, and learn the same bits. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readModel } from '#lacuna/io/node/index.js'
import { hashFactors as digest } from '../../scripts/torture/fingerprint.mjs'
import { killAndResume } from '../../scripts/torture/killAndResume.mjs'
import { lacuna, type Run } from './lacuna.ts'

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-resume-'))
const file = (name: string): string => join(cwd, name)
const run = (...args: string[]): Promise<Run> => lacuna(args, { cwd })
afterAll(() => rmSync(cwd, { recursive: true }))

const LONG = '--rank 10 --negative keep --validation 0.05 --patience 1000 --tolerance 0 --epochs 120'.split(
  ' ',
)

beforeAll(async () => {
  const args = '--dims 60x50x40 --entries 30000 --rank 4 --snr 10 --seed 1 -o data.tns'
  expect((await run('synth', ...args.split(' '))).code).toBe(0)
})

/** Digest of the factors of an uninterrupted run, learned once. */
let uninterruptedDigest: Promise<string> | undefined
function digestUninterrupted(): Promise<string> {
  uninterruptedDigest ??= run('complete', 'data.tns', ...LONG, '-o', 'unbroken.npz').then(() =>
    digest(file('unbroken.npz')),
  )
  return uninterruptedDigest
}

/** Runs the command, and sends it a signal once `when` holds for its stderr so far. */
function runUntilSignal(
  signal: NodeJS.Signals,
  args: string[],
  when: (stderr: string) => boolean,
): Promise<Run> {
  let sent = false
  return lacuna(args, {
    cwd,
    during: (pid, soFar) => {
      if (sent || !when(soFar)) return
      sent = true
      process.kill(pid, signal)
    },
  })
}

const hasLearned = (stderr: string): boolean => /epoch +\d/.test(stderr)

it('complete gives the same factors after four kill -9 at random moments, resumed on other threads', {
  timeout: 300_000,
}, async () => {
  const wanted = await digestUninterrupted()
  const outcome = await killAndResume({ kills: 4, folder: cwd, args: LONG, between: [0, 400], wanted })
  expect(outcome).toMatchObject({ kills: 4, different: 0, leftover: 0 })
  expect(outcome.resumed).toBeGreaterThan(1)
  expect(existsSync(file('model-1.npz.run'))).toBe(false)
})

it('complete gives the same factors after SIGTERM, SIGINT and SIGHUP', { timeout: 300_000 }, async () => {
  const signals: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']
  const wanted = await digestUninterrupted()
  const kills = { kills: 3, signals, between: [100, 400] as [number, number] }
  const outcome = await killAndResume({ ...kills, folder: cwd, args: LONG, wanted })
  expect(outcome).toMatchObject({ kills: 3, different: 0, leftover: 0 })
})

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s saves the model and a checkpoint, and exits with %i', async (signal, code) => {
    const model = `${signal}.npz`
    const args = ['complete', 'data.tns', ...LONG, '--epochs', '100000', '--threads', '2', '-o', model]
    const stopped = await runUntilSignal(signal, args, hasLearned)
    expect(stopped.code).toBe(code)
    expect(stopped.stdout).toContain('it was interrupted')
    expect((await readModel(file(model), 'single')).training).toMatchObject({ stopped: 'aborted', rank: 10 })
    expect(existsSync(file(`${model}.run`))).toBe(true)
  })

  it('a signal that comes twice at once, as from timeout, counts once', async () => {
    const args = ['complete', 'data.tns', ...LONG, '--epochs', '100000', '-o', 'echo.npz']
    let sent = false
    const stopped = await lacuna(args, {
      cwd,
      during: (pid, soFar) => {
        if (sent || !hasLearned(soFar)) return
        sent = true
        for (let times = 0; times < 3; times++) {
          process.kill(pid, 'SIGINT')
          // Those that wait are one for the system.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
        }
      },
    })
    expect(stopped.code).toBe(130)
    expect(stopped.stdout).toContain('it was interrupted')
    expect(existsSync(file('echo.npz'))).toBe(true)
    expect(existsSync(file('echo.npz.run'))).toBe(true)
  })

  it('an interrupted run prints a command that resumes it when pasted', async () => {
    const args = ['complete', 'data.tns', ...LONG, '--threads', '2', '-o', "it's a model.npz"]
    const stopped = await runUntilSignal('SIGINT', args, hasLearned)
    const command = /To go on:\n {2}(.*)\n/.exec(stopped.stderr)?.[1] ?? 'none'
    expect(command).toMatch(/ complete data\.tns .*'it'\\''s a model\.npz' --resume$/)
    const pasted = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
    expect(pasted.stderr).toContain('Going on from')
    expect(pasted.status).toBe(0)
    expect(existsSync(file("it's a model.npz.run"))).toBe(false)
    expect(await digest(file("it's a model.npz"))).toBe(await digestUninterrupted())
  })

  it('a signal before anything is learned leaves an earlier model unchanged', async () => {
    writeFileSync(file('precious.npz'), 'a good model')
    const args = ['complete', 'data.tns', '--negative', 'keep', '--rank', '200', '-o', 'precious.npz']
    // Before the first epoch is reported: as soon as the memory is planned.
    const stopped = await runUntilSignal('SIGINT', args, (stderr) => stderr.includes('Rank 200 on'))
    expect(stopped.code).toBe(130)
    if (!hasLearned(stopped.stderr)) {
      expect(stopped.stderr).toContain('Nothing has been learned yet: precious.npz is not written.')
      expect(readFileSync(file('precious.npz'), 'utf8')).toBe('a good model')
    }
  })

  it('two signals while a model is saved do not prevent saving', async () => {
    const args = ['complete', 'data.tns', ...LONG, '--epochs', '100000', '-o', 'twice.npz']
    const child = spawn(process.execPath, [MAIN, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    let timer: NodeJS.Timeout | undefined
    child.stderr.on('data', (data) => {
      stderr += data
      if (!timer && hasLearned(stderr)) {
        child.kill('SIGINT')
        // The checkpoint appears while it saves, and then the model; after that the process ends.
        timer = setInterval(() => {
          if (existsSync(file('twice.npz'))) clearInterval(timer)
          else if (existsSync(file('twice.npz.run'))) child.kill('SIGINT')
        }, 1)
      }
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    clearInterval(timer)
    expect(code).toBe(130)
    expect((await readModel(file('twice.npz'), 'single')).rank).toBe(10)
  })
})

describe('a checkpoint', () => {
  it('a checkpoint is refused for other data, other settings and other files', async () => {
    const args = ['complete', 'data.tns', ...LONG, '--epochs', '100000', '-o', 'kept.npz']
    await runUntilSignal('SIGTERM', args, hasLearned)
    const kept = readFileSync(file('kept.npz.run'))
    const resume = (data: string, ...changed: string[]): Promise<Run> =>
      run('complete', data, ...LONG, '-o', 'kept.npz', '--resume', ...changed)
    const other = await resume('data.tns', '--rank', '11')
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('The run was saved with --rank 10, and now it is 11;')
    // What is left out is the default, and not what was saved.
    const left = LONG.join(' ').replace(' --tolerance 0', '').split(' ')
    const without = await run('complete', 'data.tns', ...left, '-o', 'kept.npz', '--resume')
    expect(without.stderr).toContain('The run was saved with --tolerance 0, and now it is 0.0001;')
    const lines = readFileSync(file('data.tns'), 'utf8').trimEnd().split('\n')
    writeFileSync(file('fewer.tns'), `${lines.slice(0, -1).join('\n')}\n`)
    expect((await resume('fewer.tns')).stderr).toContain('The run was saved with other entries')
    // The same lines in another order are the same entries.
    writeFileSync(
      file('reversed.tns'),
      `${lines.filter((line) => line.startsWith('#')).join('\n')}\n${lines.reverse().join('\n')}\n`,
    )
    const reversed = await resume('reversed.tns')
    expect(reversed.code).toBe(0)
    expect(await digest(file('kept.npz'))).toBe(await digestUninterrupted())

    writeFileSync(file('kept.npz.run'), kept.subarray(0, kept.length - 100))
    const damaged = await resume('data.tns')
    expect(damaged.code).toBe(2)
    expect(damaged.stderr).toContain('kept.npz.run: the saved run is damaged or cut short')
    rmSync(file('kept.npz.run'))
    expect((await resume('data.tns')).stderr).toContain('There is no kept.npz.run to go on from')
    expect((await run('complete', 'data.tns', ...LONG, '--resume')).stderr).toContain('name the model by -o')
  })

  it('a checkpoint of folds resumes each of the models', async () => {
    const folded = (...more: string[]): string[] => [
      ...'complete data.tns --negative keep --rank 4 --folds 3 --prior isotropic --epochs 30'.split(' '),
      ...more,
    ]
    const stopped = await runUntilSignal('SIGINT', folded('-o', 'folds.npz'), (stderr) =>
      /model \d, epoch/.test(stderr),
    )
    expect(stopped.code).toBe(130)
    expect(stopped.stderr).toMatch(/Interrupted\. To go on:\n.* -o folds\.npz --resume\n/)
    expect([existsSync(file('folds.npz')), existsSync(file('folds.npz.run'))]).toEqual([false, true])
    const resumed = await run(...folded('-o', 'folds.npz', '--resume', '--threads', '1'))
    expect(resumed).toMatchObject({ code: 0 })
    expect(resumed.stderr).toMatch(/Going on from folds\.npz\.run, with [123] of 3 models begun\./)
    expect(existsSync(file('folds.npz.run'))).toBe(false)
    await run(...folded('-o', 'whole.npz'))
    const factorsOf = async (name: string): Promise<Float32Array[][]> =>
      (await readModel(file(name))).members.map(({ factors }) => [...factors])
    expect(await factorsOf('folds.npz')).toEqual(await factorsOf('whole.npz'))
  })

  it('a checkpoint that will be replaced is reported, and checkpoints can be disabled', async () => {
    writeFileSync(file('old.npz.run'), 'x')
    const told = await run('complete', 'data.tns', '--negative', 'keep', '--epochs', '1', '-o', 'old.npz')
    expect(told.code).toBe(0)
    expect(told.stderr).toContain('old.npz.run is left from a run that was interrupted')
    expect(existsSync(file('old.npz.run'))).toBe(false)
    const args = ['complete', 'data.tns', ...LONG, '--checkpoint-every', '0', '-o', 'off.npz']
    const seen = new Set<string>()
    const timer = setInterval(() => {
      for (const name of readdirSync(cwd)) if (name.includes('off.npz')) seen.add(name)
    }, 5)
    expect((await run(...args)).code).toBe(0)
    clearInterval(timer)
    expect([...seen].filter((name) => name.includes('.run'))).toEqual([])
  })

  it('a checkpoint on a full disk leaves the previous one, and the run continues', async () => {
    const folder = file('full')
    // A disk of its own that is filled when the first checkpoint is there, and killed after complaints.
    const script = `
      mkdir -p ${folder} && mount -t tmpfs -o size=400k tmpfs ${folder} &&
      node ${MAIN} complete data.tns ${LONG.join(' ')} --epochs 100000 --checkpoint-every 0.1 -o full/model.npz 2> full.log &
      wait_for() { for i in $(seq 600); do eval "$1" && return; sleep 0.05; done; }
      wait_for 'test -s ${folder}/model.npz.run'
      dd if=/dev/zero of=${folder}/ballast bs=1k count=1000 2> /dev/null
      wait_for 'grep -q "could not be written" full.log'
      kill -9 $!; wait $! 2> /dev/null
      rm ${folder}/ballast; cp ${folder}/model.npz.run . ; umount ${folder}`
    const shell = spawnSync('unshare', ['-rm', 'bash', '-c', script], { cwd, encoding: 'utf8' })
    expect(shell.stderr).toBe('')
    const log = readFileSync(file('full.log'), 'utf8')
    expect(log).toMatch(/The checkpoint could not be written, and the run goes on without: .*no space left/)
    expect((await run('complete', 'data.tns', ...LONG, '-o', 'model.npz', '--resume')).code).toBe(0)
    expect(await digest(file('model.npz'))).toBe(await digestUninterrupted())
  })
})

it('--initial takes its rank from the model', async () => {
  await run('complete', 'data.tns', '--negative', 'keep', '--rank', '3', '--epochs', '1', '-o', 'three.npz')
  const again = [
    'complete',
    'data.tns',
    '--negative',
    'keep',
    '--initial',
    'three.npz',
    '--epochs',
    '20',
    '-o',
    'again.npz',
  ]
  expect((await run(...again)).code).toBe(0)
  expect((await readModel(file('again.npz'), 'single')).rank).toBe(3)
  const wrong = await run(...again, '--rank', '4')
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('The initial model has rank 3, but rank 4 is asked for.')
})
