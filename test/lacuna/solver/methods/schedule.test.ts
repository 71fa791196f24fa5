import { describe, expect, it } from 'vitest'
import { costOf } from '#lacuna/engine/cpu/memory/cost.js'
import { climb, fixedStage, ladder, newSchedule, updateSchedule } from '#lacuna/solver/methods/schedule.js'

describe('the ladder', () => {
  it('doubles the sample up to all entries, and ends with a solved row', () => {
    for (const rank of [1, 10, 24, 25, 50]) {
      const stages = ladder([1000, 500, 200], 1_000_000, rank)
      expect(stages.length).toBeGreaterThan(2)
      stages.slice(1, -1).forEach(({ sample }, i) => {
        expect(sample / stages[i].sample).toBeCloseTo(2)
      })
      expect(stages.every(({ sample }) => sample > 0 && sample <= 1)).toBe(true)
      expect(stages.at(-1)).toMatchObject({ sample: 1, kind: 'newton' })
      expect(stages[0].kind).toBe(rank <= 24 ? 'newton' : 'gradient')
    }
  })

  it('is one stage where there are few entries, or where c is fixed', () => {
    expect(ladder([100, 100], 200, 10)).toMatchObject([{ sample: 1, kind: 'newton' }])
    expect(fixedStage(0.1, 50)).toMatchObject({ sample: 0.1, kind: 'gradient' })
    expect(fixedStage(0.1, 10)).toMatchObject({ sample: 0.1, kind: 'newton' })
    expect(fixedStage(1, 50)).toMatchObject({ sample: 1, kind: 'newton' })
  })

  it('costs more the more is sampled and the higher the rank', () => {
    const cost = (sample: number, rank: number): number =>
      costOf({ sample, kind: 'newton' }, [1000, 500], 100_000, rank)
    expect(cost(0.2, 10)).toBeGreaterThan(cost(0.1, 10))
    expect(cost(0.1, 20)).toBeGreaterThan(cost(0.1, 10))
  })
})

describe('the schedule', () => {
  const stages = [0.1, 0.2, 1].map((sample) => ({ sample, kind: 'newton' as const, momentum: 0.5 }))
  const costs = [1, 2, 10]

  /** A schedule to be told what happened. */
  function start(among = stages, their = costs) {
    const state = newSchedule()
    return {
      state,
      get stage() {
        return among[state.at]
      },
      get atTop() {
        return state.at === among.length - 1
      },
      observe: (before: number, after: number, iterations: number) =>
        updateSchedule(state, their, { before, after, iterations }),
      climb: () => climb(state, among.length),
    }
  }

  it('stays while a round brings 3% or more', () => {
    for (const [progress, stage] of [
      [0.1, 0],
      [0.031, 0],
      [0.029, 1],
    ]) {
      const schedule = start()
      schedule.observe(1, Math.exp(-progress), 1)
      expect(schedule.stage).toBe(stages[stage])
    }
  })

  it('climbs when progress is slow and the next stage pays for its cost', () => {
    const schedule = start()
    schedule.observe(1, 0.99, 1)
    expect(schedule.stage).toBe(stages[1]) // a trial
    schedule.observe(0.99, 0.8, 1) // sheds noise: does not count
    schedule.observe(0.8, 0.75, 1)
    expect(schedule.stage).toBe(stages[1]) // kept
    expect(schedule.atTop).toBe(false)
  })

  it('returns when it does not pay, and waits twice as long each time', () => {
    const schedule = start()
    const waits: number[] = []
    let wait = 0
    for (let round = 0; round < 400; round++) {
      if (schedule.stage === stages[1]) {
        waits.push(wait)
        wait = 0
        schedule.observe(1, 0.5, 1) // the first round of a trial does not count
      } else wait++
      schedule.observe(1, 0.999, 1) // a swamp: twice the cost for the same progress
    }
    expect(waits.slice(0, 8)).toEqual([1, 3, 5, 9, 17, 33, 33, 33])
  })

  it('tries the next stage when the error grows, and does not stay if it grows there too', () => {
    const schedule = start()
    schedule.observe(1, 1.1, 1)
    expect(schedule.stage).toBe(stages[1])
    schedule.observe(1.1, 1.2, 1)
    schedule.observe(1.2, 1.3, 1)
    expect(schedule.stage).toBe(stages[0])
  })

  it('waits for 32 rounds at the most before it tries the next stage again', () => {
    const schedule = start()
    const begins: number[] = []
    for (let round = 0; round < 300; round++) {
      const before = schedule.state.at
      schedule.observe(1, 1, 1)
      if (schedule.state.at > before) begins.push(round)
    }
    const apart = begins.slice(1).map((round, n) => round - begins[n])
    // Two rounds of the trial, those that it waits for, and the one that begins the next trial.
    expect(apart.slice(0, 8).map((rounds) => rounds - 3)).toEqual([2, 4, 8, 16, 32, 32, 32, 32])
  })

  it('never climbs beyond the top', () => {
    const schedule = start()
    for (let i = 0; i < 5; i++) schedule.climb()
    expect(schedule.atTop).toBe(true)
    for (let round = 0; round < 50; round++) schedule.observe(1, 1, 1)
    expect(schedule.stage).toBe(stages[2])
    const only = start([stages[2]], [10])
    only.climb()
    only.observe(1, 1, 1)
    expect(only.stage).toBe(stages[2])
    expect(only.atTop).toBe(true)
  })

  it('copes with an error that falls to zero', () => {
    const schedule = start()
    schedule.observe(1, 0, 1)
    schedule.observe(0, 0, 1)
    schedule.observe(0, 0, 1)
    expect(stages).toContain(schedule.stage)
  })

  it('asks for twice the progress per cost, not for a little more', () => {
    // The stage on trial costs twice as much: of the progress before, four times as much pays, three times does not.
    for (const [times, kept] of [
      [3, false],
      [4.1, true],
    ] as const) {
      const schedule = start()
      schedule.observe(1, Math.exp(-0.01), 1)
      schedule.observe(1, 0.9, 1)
      schedule.observe(1, Math.exp(-0.01 * times), 1)
      expect(schedule.stage).toBe(stages[kept ? 1 : 0])
    }
  })

  it('is plain data: copied in the middle of a trial, it goes on as if nothing had happened', () => {
    const [one, other] = [start(), start()]
    one.observe(1, 0.99, 1)
    one.observe(0.99, 0.8, 1)
    Object.assign(other.state, JSON.parse(JSON.stringify(one.state)))
    for (const schedule of [one, other]) schedule.observe(0.8, 0.799, 1)
    expect(other.stage).toBe(one.stage)
    expect(JSON.parse(JSON.stringify(other.state))).toEqual(JSON.parse(JSON.stringify(one.state)))
  })

  it('decides by what it is told alone', () => {
    const path = (): number[] => {
      const schedule = start()
      return Array.from({ length: 100 }, (_, i) => {
        schedule.observe(1, 1 - 0.06 * Math.abs(Math.sin(i)), 1 + (i % 3))
        return schedule.stage.sample
      })
    }
    expect(path()).toEqual(path())
  })
})
