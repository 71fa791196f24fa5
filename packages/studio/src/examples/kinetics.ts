/**
 * Simulated kinetics: absorbance by batch, time and wavelength while A becomes B and B becomes C. By Beer and
 * Lambert's law the absorbance is the sum over the species of concentration × spectrum, which is a CP model of
 * rank 3 once the batches differ in what they begin with.
 */
import { peak, random } from './random.ts'

/** Rate constants of A → B and B → C, per second. */
const [K1, K2] = [0.05, 0.018]
const BATCHES = 8
const TIMES = 40
const TIME_STEP_S = 5
/** Wavelengths in nanometres. */
const FIRST_NM = 300
const LAST_NM = 600
const STEP_NM = 10
/** The fraction of readings that are missing, and the noise of those that are not, in absorbance units. */
const MISSING = 0.6
const NOISE = 0.006

/** Spectra of the three species. */
const spectra = [
  (nm: number) => 1.1 * peak(nm, 350, 28) + 0.3 * peak(nm, 430, 40),
  (nm: number) => 0.9 * peak(nm, 450, 32),
  (nm: number) => 0.7 * peak(nm, 530, 26) + 0.35 * peak(nm, 320, 18),
]

/** Concentrations of A, B and C at a time, from amounts at the start (consecutive first-order reactions). */
export function concentrations([a, b, c]: readonly number[], t: number): [number, number, number] {
  const [e1, e2] = [Math.exp(-K1 * t), Math.exp(-K2 * t)]
  const inB = (a * K1 * (e1 - e2)) / (K2 - K1) + b * e2
  return [a * e1, inB, a + b + c - a * e1 - inB]
}

/** Returns the table as CSV: batch, time_s, wavelength_nm, absorbance. */
export function kineticTable(seed = 5): string {
  const { unit, normal } = random(seed)
  const lines = ['batch,time_s,wavelength_nm,absorbance']
  for (let batch = 1; batch <= BATCHES; batch++) {
    const start = [0.4 + unit(), 0.5 * unit(), 0.3 * unit()]
    for (let i = 0; i < TIMES; i++) {
      const amounts = concentrations(start, i * TIME_STEP_S)
      for (let nm = FIRST_NM; nm <= LAST_NM; nm += STEP_NM) {
        const clean = amounts.reduce((sum, amount, s) => sum + amount * spectra[s](nm), 0)
        const reading = Math.max(0, clean + NOISE * normal())
        if (unit() >= MISSING) lines.push(`batch ${batch},${i * TIME_STEP_S},${nm},${reading.toFixed(4)}`)
      }
    }
  }
  return `${lines.join('\n')}\n`
}
