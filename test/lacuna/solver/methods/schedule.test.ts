import { describe, expect, it } from 'vitest'
import { costOf } from '#lacuna/engine/cpu/memory/cost.js'
import { climb, fixedStage, ladder, newSchedule, updateSchedule } from '#lacuna/solver/methods/schedule.js'

describe('the ladder', () => {
  it('the ladder doubles the sample up to all entries, and ends with solved rows', () => {
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

  it('the ladder has one stage where there are few entries, or where c is fixed', () => {
    expect(ladder([100, 100], 200, 10)).toMatchObject([{ sample: 1, kind: 'newton' }])
    expect(fixedStage(0.1, 50)).toMatchObject({ sample: 0.1, kind: 'gradient' })
    expect(fixedStage(0.1, 10)).toMatchObject({ sample: 0.1, kind: 'newton' })
    expect(fixedStage(1, 50)).toMatchObject({ sample: 1, kind: 'newton' })
  })

  it('the cost of a stage grows with the sample and the rank', () => {
    const cost = (sample: number, rank: number): number =>
      costOf({ sample, kind: 'newton' }, [1000, 500], 100_000, rank)
    expect(cost(0.2, 10)).toBeGreaterThan(cost(0.1, 10))
    expect(cost(0.1, 20)).toBeGreaterThan(cost(0.1, 10))
  })
})

describe('the schedule', () => {
  const stages = [0.1, 0.2, 1].map((sample) => ({ sample, kind: 'newton' as const, momentum: 0.5 }))
  const costs = [1, 2, 10]

  /** A schedule with its state, to be updated round by round. */
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

  it('the schedule stays in its stage while a round lowers the error by 3% or more', () => {
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

  it('the schedule climbs when progress is slow and the next stage makes twice the progress per cost', () => {
    const schedule = start()
    schedule.observe(1, 0.99, 1)
    expect(schedule.stage).toBe(stages[1]) // a trial
    schedule.observe(0.99, 0.8, 1) // sheds noise: does not count
    schedule.observe(0.8, 0.75, 1)
    expect(schedule.stage).toBe(stages[1]) // kept
    expect(schedule.atTop).toBe(false)
  })

  it('the schedule returns from a stage that does not pay, and waits twice as long each time', () => {
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

  it('the schedule tries the next stage when the error grows, and does not stay if it grows there too', () => {
    const schedule = start()
    schedule.observe(1, 1.1, 1)
    expect(schedule.stage).toBe(stages[1])
    schedule.observe(1.1, 1.2, 1)
    schedule.observe(1.2, 1.3, 1)
    expect(schedule.stage).toBe(stages[0])
  })

  it('the schedule waits for at most 32 rounds before it tries the next stage again', () => {
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

  it('the schedule never climbs beyond the last stage', () => {
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

  it('the schedule accepts an error that falls to zero', () => {
    const schedule = start()
    schedule.observe(1, 0, 1)
    schedule.observe(0, 0, 1)
    schedule.observe(0, 0, 1)
    expect(stages).toContain(schedule.stage)
  })

  it('the schedule adopts a stage only for twice the progress per cost, not for a little more', () => {
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

  it('the state of the schedule is plain data: a copy made during a trial continues as the original', () => {
    const [one, other] = [start(), start()]
    one.observe(1, 0.99, 1)
    one.observe(0.99, 0.8, 1)
    Object.assign(other.state, JSON.parse(JSON.stringify(one.state)))
    for (const schedule of [one, other]) schedule.observe(0.8, 0.799, 1)
    expect(other.stage).toBe(one.stage)
    expect(JSON.parse(JSON.stringify(other.state))).toEqual(JSON.parse(JSON.stringify(one.state)))
  })

  it('the schedule decides by the errors and iterations that are passed alone', () => {
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
