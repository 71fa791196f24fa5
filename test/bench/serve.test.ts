import { expect, it } from 'vitest'
import { bench } from './run.ts'

it('bench serve prints requests per second and latencies, and the server holds all connections', async () => {
  const size = [
    '--rows',
    '50',
    '--candidates',
    '40',
    '--rank',
    '3',
    '--requests',
    '200',
    '--connections',
    '150',
  ]
  const { code, stdout, stderr } = await bench(['serve', ...size, '--threads', '1', '--json', '-q'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { requestsPerSecond, p50, p99, ...rest } = JSON.parse(stdout)
  expect(rest).toEqual({ failed: 0, connections: 150, isWell: true })
  expect(requestsPerSecond).toBeGreaterThan(0)
  expect(p99).toBeGreaterThanOrEqual(p50)
})
