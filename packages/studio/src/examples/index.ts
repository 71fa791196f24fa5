/**
 * The six examples of the first screen. Five are measured or photographed (data/README.md), the films are
 * simulated; the text of each states that. Their data is loaded when an example is opened, and belongs to the offline copy.
 */
import type { ExampleSettings } from '../viewProps.ts'
import facadeUrl from './data/facade.webp'
import printUrl from './data/print.webp'

/** An example: a card on the first screen, and what it opens. */
export interface Example extends ExampleSettings {
  /** Its name in the address of the page, and of its icon. */
  id: 'facade' | 'print' | 'metro' | 'films' | 'winds' | 'spectra'
  view: 'restore' | 'complete'
  /** A short sentence about what the example shows. */
  text: string
  /** Loads its files. */
  load(): Promise<File[]>
}

/** Makes a CSV file. */
const csvFile = (text: string, name: string): File => new File([text], name, { type: 'text/csv' })

/** Fetches a picture of this page. */
async function pictureFile(url: string, name: string): Promise<File> {
  const response = await fetch(url)
  if (!response.ok)
    throw new Error(`The picture ${name} is missing from this copy of the studio; open a photo of your own.`)
  return new File([await response.blob()], name, { type: 'image/webp' })
}

/** The examples, in the order of their cards. */
export const examples: readonly Example[] = [
  {
    id: 'facade',
    view: 'restore',
    title: 'A façade',
    text: 'A photograph; four pixels of five are gone.',
    note: 'A tower of the Summer Palace, Beijing, with 80% of the pixels hidden. Photograph: danielbuechele (Flickr), CC BY 2.0.',
    settings: { damage: 'pixels', hide: 80, method: 'patches' },
    load: async () => [await pictureFile(facadeUrl, 'facade.webp')],
  },
  {
    id: 'print',
    view: 'restore',
    title: 'A scratched print',
    text: 'Scratches across a photograph of 1865.',
    note: 'Boats in Nagasaki, an albumen print by Felice Beato, 1865, with simulated scratches. Image: Getty’s Open Content Program, CC0.',
    settings: { damage: 'scratches', method: 'patches' },
    load: async () => [await pictureFile(printUrl, 'print.webp')],
  },
  {
    id: 'metro',
    view: 'complete',
    title: 'Metro',
    text: 'Rides on the Chicago “L” by station, week and weekday, with gaps.',
    note: 'Rides at 20 stations of the Chicago “L” in 2008 and 2009. One station-week of four is hidden; closed days are gaps. Data: City of Chicago, by the R package modeldata (MIT).',
    settings: { rank: 6 },
    load: async () => [csvFile(await (await import('./measured.ts')).metroTable(), 'metro.csv')],
  },
  {
    id: 'films',
    view: 'complete',
    title: 'Films',
    text: 'What would viewers think of films not seen yet? (Simulated.)',
    note: 'Real titles, simulated ratings: 240 invented viewers of different tastes, 72 films, of which each has rated a few.',
    settings: { rank: 5 },
    load: async () => [csvFile((await import('./films.ts')).filmTable(), 'films.csv')],
  },
  {
    id: 'winds',
    view: 'complete',
    title: 'Sea winds',
    text: 'Wind speeds that ships reported, by place and month, on a map.',
    note: 'Mean wind speed by month in cells of 4°, up to 70° north and south, from ships’ reports; gaps are months without any. Data: COADS climatology, NOAA (public domain).',
    settings: { rank: 5 },
    load: async () => [csvFile(await (await import('./measured.ts')).windTable(), 'winds.csv')],
  },
  {
    id: 'spectra',
    view: 'complete',
    title: 'Spectra',
    text: 'Near-infrared spectra of meat, with many readings lost.',
    note: 'Absorbances of 215 samples of meat from 850 to 1046 nm, of which 60% are hidden. Data: Tecator, by the R package modeldata (MIT).',
    settings: { rank: 4 },
    load: async () => [csvFile(await (await import('./measured.ts')).spectrumTable(), 'spectra.csv')],
  },
]
