/** Copies of a file on several hosts: equal ones are read, others are refused by all processes. */
import { copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { compareFiles } from '#lacuna/io/drive/processes/index.js'
import { commonOutcome, runInProcesses } from '../../../communicators.ts'

const folder = await mkdtemp(join(tmpdir(), 'lacuna-copies-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rm(folder, { recursive: true }))

/** Compares a path of each process in all of them; returns the error that all throw, or undefined. */
const compare = async (...paths: string[]): Promise<unknown> => {
  const outcome = commonOutcome(
    await runInProcesses(paths.length, (comm) =>
      compareFiles(comm, [paths[comm.rank]]).then(
        () => 'equal',
        (error) => error.message.replaceAll(paths[comm.rank], 'FILE'),
      ),
    ),
  )
  expect(new Set(outcome as string[]).size).toBe(1)
  return (outcome as string[])[0]
}

/** Three blocks of 16 MiB and a bit: holes, which take no space. */
const SIZE = 3 * 2 ** 24 + 5
async function writeBlocks(name: string, changedByte?: number): Promise<string> {
  const file = await open(at(name), 'w')
  await file.truncate(SIZE)
  if (changedByte !== undefined) await file.write('!', changedByte)
  await file.close()
  return at(name)
}

it('equal copies of a file pass, and one changed byte in any block of any copy is found', async () => {
  const [a, b] = [await writeBlocks('a'), await writeBlocks('b')]
  expect(await compare(a, a, b, b, b)).toBe('equal')
  const sentence = (rank: number, of: number): string =>
    `Process ${rank} of ${of} reads other data in FILE than process 1: copy the same file to all machines.`
  for (const byte of [0, 2 ** 24 + 1, SIZE - 1])
    expect(await compare(a, a, await writeBlocks('c', byte))).toBe(sentence(3, 3))
  expect(await compare(at('c'), at('c'), a, a)).toBe(sentence(3, 4))
})

it('another size is named, and a file that one process lacks is left to the reader', async () => {
  await writeFile(at('short'), 'abc')
  await mkdir(at('sub'))
  await writeFile(at('sub/short'), 'abcd')
  expect(await compare(at('short'), at('sub/short'))).toBe(
    'Process 2 of 2 reads other data in FILE than process 1 (4 bytes and not 3): copy the same file to all machines.',
  )
  expect(await compare(at('short'), at('none'))).toBe('equal')
  await copyFile(at('short'), at('copy'))
  expect(await compare(at('short'), at('copy'))).toBe('equal')
})
