import { complete, synthetic } from 'lacuna'

const { tensor } = synthetic({ dims: [20, 20, 20], entries: 1000, rank: 2, seed: 1 })
const { model } = await complete(tensor, { rank: 2 })
postMessage(model.factors[0][0])
