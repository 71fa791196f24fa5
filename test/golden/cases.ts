/** A fixed set of commands whose results must stay equal to those of the last release, to the bit. */

/** Files that the commands read, by name: small tables made without any random numbers of Lacuna's. */
export function inputs(): Record<string, string> {
  const rows: string[] = []
  const counts: string[] = []
  for (let user = 0; user < 40; user++)
    for (let item = 0; item < 25; item++)
      for (let day = 0; day < 28; day++) {
        const hash = (user * 7919 + item * 104729 + day * 1299709 + user * item * 31 + item * day * 17) % 1009
        if (hash % 9 !== 0) continue
        const value = 1 + ((user % 5) + 1) * ((item % 4) + 1) * (1 + (day % 7)) * 0.25 + (hash % 13) / 10
        rows.push(`u${user},i${item},${day},${value.toFixed(3)},${1 + (hash % 3)}`)
        if (hash % 27 === 0) counts.push(`${user + 1} ${item + 1} ${day + 1} ${1 + (hash % 4)}`)
      }
  const items = Array.from({ length: 25 }, (_, item) => `i${item},${['a', 'b', 'c'][item % 3]},${item % 5}`)
  return {
    'train.csv': `user,item,day,value,weight\n${rows.join('\n')}\n`,
    'items.csv': `item,kind,price\n${items.join('\n')}\n`,
    'counts.tns': `${counts.join('\n')}\n`,
  }
}

const table = 'complete train.csv --modes user item day --value value --seed 3'

/** The commands, by name; each writes `model.npz`. */
export const cases: Readonly<Record<string, string>> = {
  default: `${table} --rank 6`,
  validation: `${table} --rank 6 --validation 0.1 --test 0.1`,
  paper: `${table} --rank 5 --solver paper --lambda 0.05 --epochs 6`,
  inner: `${table} --rank 5 --solver paper --lambda 0.05 --epochs 3 --max-inner 3`,
  isotropic: `${table} --rank 12 --prior isotropic`,
  zeros: 'complete counts.tns --rank 4 --missing zero',
  huber: `${table} --rank 4 --loss huber`,
  lags: `${table} --rank 4 --lags day=1,7 --features item=items.csv:kind,price --no-choose`,
  weights: `${table} --rank 4 --weight weight`,
  merged: `${table} --rank 4 --merge-modes user,item --split day:7`,
  folds: `${table} --rank 4 --folds 3`,
  best: 'complete counts.tns --best --epochs 4 --folds 3',
}
