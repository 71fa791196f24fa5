/**
 * Simulated film ratings: real titles, invented viewers. A viewer has a taste for a few kinds of film, a film is
 * of one or two kinds, and the rating rises with how well they match. Viewers have seen mostly what they like,
 * as in real collections of ratings, so what is missing is not missing at random.
 */
import { random } from './random.ts'

/** Kinds of film, in the order of the weights below. */
const KINDS = 5

/**
 * Titles, with how much each is science fiction, crime, comedy or romance, animation for families, and slow art
 * house cinema, from 0 to 9.
 */
const films: readonly (readonly [title: string, weights: string])[] = [
  ['Alien (1979)', '92000'],
  ['Aliens (1986)', '91000'],
  ['Arrival (2016)', '90004'],
  ['Back to the Future (1985)', '70530'],
  ['Blade Runner (1982)', '93003'],
  ['Brazil (1985)', '71205'],
  ['Children of Men (2006)', '84003'],
  ['Close Encounters of the Third Kind (1977)', '90023'],
  ['District 9 (2009)', '93000'],
  ['E.T. the Extra-Terrestrial (1982)', '70170'],
  ['Ex Machina (2014)', '92003'],
  ['Gravity (2013)', '90002'],
  ['Inception (2010)', '85001'],
  ['Interstellar (2014)', '90003'],
  ['Jurassic Park (1993)', '81040'],
  ['Solaris (1972)', '70009'],
  ['Star Wars (1977)', '90040'],
  ['The Matrix (1999)', '94000'],
  ['The Terminator (1984)', '94000'],
  ['Twelve Monkeys (1995)', '84003'],
  ['Casino (1995)', '09101'],
  ['Chinatown (1974)', '09003'],
  ['Fargo (1996)', '08302'],
  ['Goodfellas (1990)', '09101'],
  ['Heat (1995)', '09001'],
  ['L.A. Confidential (1997)', '09101'],
  ['Memento (2000)', '28003'],
  ['Pulp Fiction (1994)', '09301'],
  ['Reservoir Dogs (1992)', '09200'],
  ['Seven (1995)', '09001'],
  ['The Godfather (1972)', '09003'],
  ['The Silence of the Lambs (1991)', '09001'],
  ['The Usual Suspects (1995)', '09101'],
  ['Vertigo (1958)', '06304'],
  ['Zodiac (2007)', '08002'],
  ['About Time (2013)', '20900'],
  ['Amélie (2001)', '00824'],
  ['Annie Hall (1977)', '00903'],
  ['Before Sunrise (1995)', '00805'],
  ['Bridget Jones’s Diary (2001)', '00900'],
  ['Four Weddings and a Funeral (1994)', '00900'],
  ['Groundhog Day (1993)', '20911'],
  ['Lost in Translation (2003)', '00706'],
  ['Notting Hill (1999)', '00900'],
  ['Pretty Woman (1990)', '00910'],
  ['Roman Holiday (1953)', '00922'],
  ['Sleepless in Seattle (1993)', '00910'],
  ['Some Like It Hot (1959)', '02911'],
  ['The Apartment (1960)', '00903'],
  ['When Harry Met Sally (1989)', '00900'],
  ['Aladdin (1992)', '00390'],
  ['Beauty and the Beast (1991)', '00490'],
  ['Coco (2017)', '00290'],
  ['Finding Nemo (2003)', '00290'],
  ['Frozen (2013)', '00390'],
  ['Inside Out (2015)', '20291'],
  ['My Neighbour Totoro (1988)', '00093'],
  ['Ratatouille (2007)', '00390'],
  ['Shrek (2001)', '00590'],
  ['Spirited Away (2001)', '20094'],
  ['The Lion King (1994)', '00190'],
  ['Toy Story (1995)', '20290'],
  ['Up (2009)', '00391'],
  ['WALL·E (2008)', '60091'],
  ['Cléo from 5 to 7 (1962)', '00209'],
  ['In the Mood for Love (2000)', '00409'],
  ['Paris, Texas (1984)', '01109'],
  ['Persona (1966)', '01009'],
  ['Stalker (1979)', '50009'],
  ['The Seventh Seal (1957)', '01009'],
  ['Tokyo Story (1953)', '00109'],
  ['Wings of Desire (1987)', '20309'],
]

const VIEWERS = 240

/** Returns the table as CSV: viewer, film, stars (half a star to five). */
export function filmTable(seed = 21): string {
  const { unit, normal } = random(seed)
  const lines = ['viewer,film,stars']
  for (let v = 1; v <= VIEWERS; v++) {
    const favourite = Math.floor(KINDS * unit())
    const taste = Array.from({ length: KINDS }, (_, kind) => (kind === favourite ? 0.9 : 0.55 * unit()))
    const leniency = 1.7 + 0.7 * unit()
    const diligence = 0.4 + unit()
    for (const [title, weights] of films) {
      const kinds = [...weights].map(Number)
      const match = kinds.reduce((sum, weight, kind) => sum + weight * taste[kind], 0) / 9
      const seen = unit() < diligence * (0.12 + 0.4 * Math.min(1, match))
      const stars = Math.min(5, Math.max(0.5, leniency + 2.6 * match + 0.45 * normal()))
      if (seen)
        lines.push(`viewer ${String(v).padStart(3, '0')},${quote(title)},${Math.round(2 * stars) / 2}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** A cell of a CSV file, in quotes if it contains a comma. */
const quote = (text: string): string => (text.includes(',') ? `"${text}"` : text)
