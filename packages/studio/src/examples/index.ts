/**
 * The six examples of the first screen. Their data is made in the page by small generators, so that they work
 * offline; each says so. The generators are loaded when an example is opened.
 */
import type { ExampleSettings } from '../viewProps.ts'

/** An example: a card on the first screen, and what it opens. */
export interface Example extends ExampleSettings {
  /** Its name in the address of the page, and of its icon. */
  id: 'facade' | 'print' | 'metro' | 'films' | 'taxis' | 'kinetics'
  view: 'restore' | 'complete'
  /** What it shows, in one short sentence. */
  text: string
  /** Makes its files. */
  load(): Promise<File[]>
}

/** Makes a CSV file. */
const csvFile = (text: string, name: string): File => new File([text], name, { type: 'text/csv' })

/** The examples, in the order of their cards. */
export const examples: readonly Example[] = [
  {
    id: 'facade',
    view: 'restore',
    title: 'A façade',
    text: 'Four pixels of five are gone.',
    note: 'A façade drawn by the program, of which 80% of the pixels are hidden.',
    settings: { damage: 'pixels', hide: 80, method: 'patches' },
    async load() {
      const response = await fetch('./sample.png')
      if (!response.ok)
        throw new Error('The sample picture is missing from this copy of the studio; open a photo.')
      return [new File([await response.blob()], 'facade.png', { type: 'image/png' })]
    },
  },
  {
    id: 'print',
    view: 'restore',
    title: 'A scratched print',
    text: 'Scratches across an old landscape.',
    note: 'A landscape drawn by the program in the tones of an old print, with simulated scratches.',
    settings: { damage: 'scratches', method: 'patches' },
    async load() {
      const [{ drawPrint }, { toPng }] = await Promise.all([
        import('./print.ts'),
        import('../restore/pictureFile.ts'),
      ])
      const { width, height, data } = drawPrint()
      const blob = await toPng(new ImageData(data, width, height))
      return [new File([blob], 'print.png', { type: 'image/png' })]
    },
  },
  {
    id: 'metro',
    view: 'complete',
    title: 'Metro',
    text: 'Passengers by station, day and hour; some counters failed for days.',
    note: 'Simulated counts: 36 invented stations, 28 days; on one station-day of four the counter failed.',
    settings: { rank: 6 },
    load: async () => [csvFile((await import('./metro.ts')).metroTable(), 'metro.csv')],
  },
  {
    id: 'films',
    view: 'complete',
    title: 'Films',
    text: 'What would each viewer think of the films not seen yet?',
    note: 'Real titles, simulated ratings: 240 invented viewers of different tastes, 72 films, of which each has rated a few.',
    settings: { rank: 5 },
    load: async () => [csvFile((await import('./films.ts')).filmTable(), 'films.csv')],
  },
  {
    id: 'taxis',
    view: 'complete',
    title: 'Taxis',
    text: 'Pickups over a city by place, weekday and hour.',
    note: 'Simulated pickups at 188 places of an invented city by the sea; half of the counts are missing.',
    settings: { rank: 5 },
    load: async () => [csvFile((await import('./taxis.ts')).taxiTable(), 'taxis.csv')],
  },
  {
    id: 'kinetics',
    view: 'complete',
    title: 'Kinetics',
    text: 'Spectra of a reaction A → B → C, batch by batch, with many readings lost.',
    note: 'Simulated absorbances by Beer and Lambert’s law, two first-order steps in each batch, 60% of the readings missing.',
    settings: { rank: 3 },
    load: async () => [csvFile((await import('./kinetics.ts')).kineticTable(), 'kinetics.csv')],
  },
]
