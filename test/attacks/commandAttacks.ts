/** Commands whose options are wrong, whatever the file. */
import { type Attack, lines, words } from './attack.ts'

const BAD_COMMANDS = lines`
  complete a.tns --rank 0
  complete a.tns --rank 257
  complete a.tns --rank 1.5
  complete a.tns --rank ten
  complete a.tns --epochs 0
  complete a.tns --seconds x
  complete a.tns --sample 2
  complete a.tns --sample 0
  complete a.tns --lambda -1
  complete a.tns --lambda some
  complete a.tns --solver slow
  complete a.tns --threads 0
  complete a.tns --validation 1.5
  complete a.tns --test 0
  complete a.tns --test none.tns
  complete a.tns --patience -1
  complete a.tns --seed -1
  complete a.tns --dims 1x1
  complete a.tns --dims 2
  complete a.tns --dims 2x0
  complete a.tns --dims 2x2x2
  complete a.tns --negative no
  complete a.tns --duplicates no
  complete a.tns --mask m.npy
  complete a.tns --initial none.npz
  complete a.tns --max-inner 0
  complete a.tns --modes a b
  complete a.tns --nope
  complete a.tns -o out.txt
  complete a.tns -o no/out.npz
  info a.tns --rank 0
  info a.tns --threads many
  info a.tns --dims x
  info a.tns --duplicates no
  info a.tns --mask none.npy
  info a.tns --value x
  info a.tns --nope
  convert a.tns
  convert a.tns out
  convert a.tns out.xls
  convert a.tns no/out.csv
  convert a.tns -
  convert a.tns - --format xls
  convert a.tns out.csv --negative maybe
  convert a.tns out.csv --merge count
  convert a.tns out.csv --nope
  convert a.tns out.npy --dims 9x9x9
  convert a.tns out.npy --dims 4000000000x4000000000
  split a.tns -o out
  split a.tns --test 0.5
  split a.tns --test 0 -o out
  split a.tns --test 1 -o out
  split a.tns --test x -o out
  split a.tns --test 0.5 -o no/out
  split a.tns --test 0.5 -o out --seed x
  split a.tns --test 0.5 -o out --time 1
  split a.tns --test 0.5 -o out --by luck
  split a.tns --test 0.5 -o out --by time --time nope
  split a.tns --test 0.5 -o out --format xls
  split a.tns --test 0.6 -o out --validation 0.6
  synth
  synth --dims 3x3
  synth --dims 3x3 --entries 4
  synth --dims 3 --entries 1 -o out.tns
  synth --dims 3x3 --entries 0 -o out.tns
  synth --dims 3x3 --entries 99 -o out.tns
  synth --dims 3x3 --entries 4 -o out.xls
  synth --dims 3x3 --entries 4 -o no/out.tns
  synth --dims 3x3 --entries 4 -o out.tns --rank 0
  synth --dims 3x3 --entries 4 -o out.tns --snr loud
  synth --dims 3x3 --entries 4 -o out.tns --test-entries 2
  synth --dims 3x3 --entries 8 -o out.tns --test-entries 8 --test out2.tns
  data nope
  data fetch
  data fetch nope
  data fetch kinetic --url http://example.org/x
  data fetch uber-pickups --url https://x
  data list --nope
  info none.tns
  info none.csv
  info none.npz
  info none.npy
  info none.parquet
  info none.json
  info a.txt.exe
  info no-ending
  info .
  info ..`

export function* commandAttacks(): Generator<Attack> {
  const files = { 'a.tns': '1 1 1\n2 2 2\n1 2 3\n' }
  for (const line of BAD_COMMANDS) yield { name: line, files, args: words(line) }
  const sizes = Array(300).fill(1).join('x')
  yield { name: 'synth of 300 modes', files: {}, args: words(`synth --dims ${sizes} --entries 1 -o out.tns`) }
}
