/** Examples that do not run in the tests, each with the reason; the test prints the list. */

/** A page ('' for any), how the example begins ('' for all), why it does not run, and where the same is tested. */
type Exception = readonly [page: string, start: string, reason: string]

const CLUSTER = 'needs a cluster or more cores; test/cli/mpi.test.ts runs jobs of several processes'
const MINUTES = 'takes minutes; test/cli/paper.test.ts runs the smallest scale'

const INSTALLS = 'installs packages from npm; test/package installs the packed tarballs'

const EXCEPTIONS: readonly Exception[] = [
  ['README.md', 'npm ci && npm start', 'installs and builds the repository anew; every clone begins with it'],
  ['README.md', 'npm ci && npm test', 'is the run that this test is part of'],
  ['README.md', 'lacuna paper', MINUTES],
  ['packages/cli/README.md', 'npm install', INSTALLS],
  [
    'packages/cli/README.md',
    'lacuna demo',
    'takes half a minute of processor time; test/cli/image.test.ts runs a smaller one',
  ],
  [
    'docs/datasets.md',
    'lacuna data fetch movielens-10m',
    'downloads 66 MB; test/cli/datasets serves the sets locally',
  ],
  ['docs/gpu.md', 'lacuna complete', 'compiles shaders for seconds; test/cli/engines.test.ts runs it'],
  [
    'docs/packages.md',
    "import { decodeModel } from 'lacuna/predict'",
    'is a worker for an edge runtime; test/package/edge.test.ts runs it in workerd',
  ],
  [
    'docs/packages.md',
    "import { complete, tensorFromRecords } from 'lacuna/browser'",
    'is a worker for an edge runtime; test/package/edge.test.ts runs it in workerd',
  ],
  ['docs/paper.md', 'lacuna paper', MINUTES],
  ['CONTRIBUTING.md', 'npm', 'builds and tests the repository, as the run that this test is part of'],
  ['bench/peers/README.md', 'npm run peers', 'takes a minute; test/bench/peers.test.ts runs a smaller one'],
  ...['info', 'complete', 'convert'].map(
    (command) =>
      ['docs/formats.md', `lacuna ${command} era.nc`, 'test/cli/scienceFiles.test.ts runs it'] as const,
  ),
  ['docs/python.md', 'pip install', INSTALLS],
  ['python/README.md', 'npm ci', INSTALLS],
  ['python/README.md', 'pip install', 'installs the Python package; test/python/python.test.ts does so'],
  ['', 'npm run bench', 'measures for minutes; test/bench runs small sizes'],
  ['site/index.md', 'npm', INSTALLS],
  ['site/index.md', 'npx', INSTALLS],
  ['site/index.md', 'docker', 'needs docker; test/package/dockerfile.test.ts runs its commands'],
  ['site/index.md', 'pip', 'installs a Python package, which has tests of its own'],
  ['docs/scale.md', '', CLUSTER],
]

/** Generated or without examples to run. */
export const NO_EXAMPLES: Readonly<Record<string, string>> = {
  'docs/api.md': 'signatures, generated from the sources; test/package/api.test.ts compares them',
}

/** The reason why an example does not run; undefined if it runs. */
export const exceptionOf = (page: string, text: string): string | undefined =>
  EXCEPTIONS.find(([where, start]) => (where === page || where === '') && text.startsWith(start))?.[2]
