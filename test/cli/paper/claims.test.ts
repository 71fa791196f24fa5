import type { ClaimId, PaperResults } from 'lacuna-figures/results'
import { expect, it } from 'vitest'
import { judgeClaims } from '#cli/paper/claims.ts'
import { sampleResults } from './sample.ts'

const verdict = (id: ClaimId, results: Pick<PaperResults, 'machine' | 'image' | 'convergence' | 'timing'>) =>
  judgeClaims(results).find((claim) => claim.id === id)?.verdict

it('a claim of the paper holds where the numbers agree with it', () => {
  const claims = judgeClaims(sampleResults())
  expect(claims.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['image-small-c', 'holds'],
    ['small-c-bad-in-noise', 'holds'],
    ['small-c-good-at-high-snr', 'holds'],
    ['speed-up', 'holds'],
    ['real-speed-up-lower', 'holds'],
    ['real-less-balanced', 'holds'],
  ])
})

it('a claim of the paper fails where the numbers disagree with it', () => {
  const [good, bad] = [
    { 0.05: 0.1, 0.2: 0.2, 0.5: 0.3 },
    { 0.05: 0.3, 0.2: 0.2, 0.5: 0.1 },
  ]
  expect(verdict('small-c-bad-in-noise', sampleResults({ noisy: good }))).toBe('fails')
  expect(verdict('small-c-good-at-high-snr', sampleResults({ clean: bad }))).toBe('fails')
  expect(verdict('speed-up', sampleResults({ efficiency: [0.95, 0.4] }))).toBe('fails')
  expect(verdict('real-speed-up-lower', sampleResults({ efficiency: [0.8, 0.9] }))).toBe('fails')
  expect(verdict('real-less-balanced', sampleResults({ balance: [10, 12] }))).toBe('fails')
  const results = sampleResults()
  results.image!.runs[0].quality.psnr = 12.5
  expect(verdict('image-small-c', results)).toBe('fails')
})

it('a difference of speed-ups within twice its standard error does not count', () => {
  const results = sampleResults({ efficiency: [0.91, 0.9] })
  const wavering = (s: number, trial: number): number => s * (trial % 2 === 0 ? 0.8 : 1.2)
  for (const { series } of results.timing!.problems)
    for (const one of series) if (one.threads === 4) one.seconds = one.seconds.map(wavering)
  expect(verdict('real-speed-up-lower', results)).toBe('fails')
})

it('a speed-up is not judged by more threads than there are cores', () => {
  // Two cores: four threads are twice as fast at best, which must not count against them.
  const results = sampleResults({ cores: 2 })
  for (const { series } of results.timing!.problems)
    for (const one of series) if (one.threads === 4) one.seconds = one.seconds.map((s) => 3 * s)
  expect(verdict('speed-up', results)).toBe('holds')
})

it('a claim of the paper is untested without real data or with one core, and left out without results', () => {
  const results = sampleResults()
  results.timing!.problems.splice(1)
  expect(verdict('real-speed-up-lower', results)).toBe('untested')
  expect(verdict('real-less-balanced', results)).toBe('untested')
  expect(verdict('speed-up', sampleResults({ cores: 1 }))).toBe('untested')
  expect(judgeClaims({ machine: results.machine })).toEqual([])
})

it('the evidence of a claim contains the measured numbers', () => {
  const evidence = judgeClaims(sampleResults()).map((claim) => claim.evidence)
  expect(evidence[1]).toContain('0.4 with c = 0.05, 0.32 with c = 0.2 and 0.3 with c = 0.5')
  expect(evidence[5]).toContain('15.0 on S and 6.0 on T')
})
