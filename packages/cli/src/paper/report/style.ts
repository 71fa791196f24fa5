/** The style of report.html, beside that of all pages (lacuna-figures/report). */

/** CSS rules of sections, figures, claims and tables. */
export const css = `
h2 { font-size: 1.3rem; margin: 2.5rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .6rem 0; }
figure { margin: 1.2rem 0; text-align: center; }
figure svg { display: block; margin: 0 auto 1rem; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 36rem; margin: 0 auto; }
.claim { background: var(--box); border-left: 4px solid var(--soft); padding: .5rem .9rem; margin: .8rem 0; border-radius: 0 6px 6px 0; }
.claim p { margin: .2rem 0; }
.claim.holds { border-color: var(--good); }
.claim.fails { border-color: var(--bad); }
.claims { list-style: none; padding: 0; }
.claims li { display: flex; gap: .5rem; align-items: baseline; margin: .4rem 0; }
.verdict { display: inline-block; font-size: .8rem; font-weight: 600; color: var(--soft); border: 1px solid currentColor; border-radius: 999px; padding: 0 .6em; margin-right: .3em; white-space: nowrap; }
.holds .verdict { color: var(--good); }
.fails .verdict { color: var(--bad); }
.wide { overflow-x: auto; width: min(92vw, 60rem); margin-left: 50%; transform: translateX(-50%); }
table { margin: 0 auto; font-size: .8rem; }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
th { color: var(--soft); font-weight: 600; }
@media print { .claim { break-inside: avoid; } figure { break-inside: avoid; } }
`
