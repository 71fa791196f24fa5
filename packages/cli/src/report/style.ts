/** The look of the page of components, on light and dark screens and on paper. */
export const css = `
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d8dee4; --ground: #f6f8fa; --card: #ffffff;
  --own: #0072b2; --usual: #d55e00; --grey: #8b949e; --bar: #cfe4f3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --ground: #0d1117; --card: #161b22;
  --own: #6cc0f0; --usual: #ff8f45; --grey: #6e7681; --bar: #1d3f58; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 74rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem; overflow-wrap: anywhere; }
.lead { font-size: 1.05rem; max-width: 52rem; margin: 0 0 1rem; }
.soft, footer { color: var(--soft); font-size: .87rem; max-width: 52rem; }
footer { margin-top: 2rem; }
.shares { display: flex; gap: 2px; height: 26px; margin: 0 0 .8rem; }
.shares a { background: var(--own); color: #fff; text-decoration: none; font-size: .75rem; line-height: 26px; text-align: center; flex-basis: 0; min-width: 2px; overflow: hidden; }
.shares a:nth-child(even) { opacity: .78; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); gap: 1rem; margin-top: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem 1.1rem; break-inside: avoid; }
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
@media print { body { background: #fff; } main { max-width: none; padding: 0; } }
`
