/** The style of the page of components, beside that of all pages (htmlPage.ts). */

/** CSS rules of cards, shares, plots and lists. */
export const css = `
body { background: var(--box); font-size: 15px; line-height: 1.5; }
main { max-width: 74rem; }
.lead { font-size: 1.05rem; max-width: 52rem; margin: 0 0 1rem; }
footer { margin-top: 2rem; }
.shares { display: flex; gap: 2px; height: 26px; margin: 0 0 .8rem; }
.shares a { background: var(--own); color: #fff; text-decoration: none; font-size: .75rem; line-height: 26px; text-align: center; flex-basis: 0; min-width: 2px; overflow: hidden; }
.shares a:nth-child(even) { opacity: .78; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.card { background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem 1.1rem; break-inside: avoid; }
h2 { font-size: 1.15rem; margin: 0; display: flex; justify-content: space-between; }
.share { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; }
.found { color: var(--soft); font-size: .8rem; font-weight: 400; margin-left: .4rem; }
.shaky { color: var(--usual); }
.sentence { margin: .25rem 0 .7rem; }
.parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(14.5rem, 1fr)); gap: .8rem 1.2rem; align-items: start; }
h3 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 0 0 .25rem; }
.part { min-width: 0; }
.part svg { display: block; max-width: 100%; height: auto; color: var(--soft); font: 10px system-ui, sans-serif; overflow: visible; }
.own { fill: var(--own); fill-opacity: .75; }
.usual { stroke: var(--usual); fill: none; }
.own-cell { fill: var(--own); }
.usual-cell { fill: var(--grey); fill-opacity: .75; }
.wide { grid-column: 1 / -1; }
svg.map { border: 1px solid var(--line); border-radius: 4px; max-height: 24rem; width: auto; margin: 0 auto; }
ol { list-style: none; margin: 0; padding: 0; font-size: .86rem; }
li { position: relative; display: flex; justify-content: space-between; gap: .6rem; padding: .08rem .3rem; margin-bottom: 2px; }
.bar { position: absolute; inset: 0 auto 0 0; background: var(--bar); border-radius: 3px; }
.name, .lift { position: relative; }
.name { overflow-wrap: anywhere; }
.lift { white-space: nowrap; font-variant-numeric: tabular-nums; }
.lift small { color: var(--soft); }
details { margin-top: 1.2rem; }
summary { cursor: pointer; color: var(--soft); }
@media print { body { background: #fff; } }
`
