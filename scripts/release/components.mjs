// The components of a published package (SBOM) in the CycloneDX format, from the lock file: what npm installs with it, and
// what is bundled into it. `npm sbom` is not used: in this workspace it names the folder as the subject and leaves out what is
// also a development dependency.
// @ts-check
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ name?: string, version: string, license?: string, integrity?: string, link?: boolean, resolved?: string,
 *   dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }} Locked
 */

/**
 * The list of components of a workspace package.
 * @param {string} root the repository @param {string} folder of the package, such as packages/cli
 * @param {'library' | 'application'} type
 */
export function componentsOf(root, folder, type) {
  /** @type {Record<string, Locked>} */
  const packages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const about = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const resolve = (/** @type {string} */ from, /** @type {string} */ name) =>
    resolveLocked(packages, from, name)
  const isOwn = (/** @type {string} */ path) => path.startsWith('packages/')
  /** What is bundled into a package of the workspace that is not published: its development dependencies. */
  const bundledInto = (/** @type {string} */ path) =>
    isOwn(path) && JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).private
      ? packages[path].devDependencies
      : {}

  /** @type {Map<string, 'required' | 'optional'>} Paths of the lock file, with their scope. */
  const scopes = new Map()
  /** @type {Set<string>} */
  const bundled = new Set()
  const visit = (
    /** @type {string} */ from,
    /** @type {Record<string, string> | undefined} */ names,
    /** @type {'required' | 'optional'} */ scope,
    isBundled = false,
  ) => {
    for (const name of Object.keys(names ?? {})) {
      const path = resolve(from, name)
      // Binaries of other systems that are not in the lock file.
      if (path === undefined) continue
      if (isBundled && !isOwn(path)) bundled.add(path)
      if (scopes.get(path) === 'required' || scopes.get(path) === scope) continue
      scopes.set(path, scope)
      const { dependencies, optionalDependencies } = packages[path]
      visit(path, dependencies, scope, isBundled)
      visit(path, optionalDependencies, 'optional', isBundled)
      visit(path, bundledInto(path), scope, true)
    }
  }
  visit(folder, about.dependencies, 'required')
  visit(folder, about.optionalDependencies, 'optional')
  visit(folder, about.peerDependencies, 'optional')
  const own = Object.keys(about.devDependencies ?? {}).filter((name) => isOwn(resolve(folder, name) ?? ''))
  visit(folder, Object.fromEntries(own.map((name) => [name, ''])), 'required', true)

  const paths = [...scopes.keys()].sort()
  const refOf = (/** @type {string} */ path) => purl(nameOf(packages, path), packages[path].version)
  const refsOf = (/** @type {string} */ from, /** @type {Record<string, string>[]} */ ...lists) => {
    const found = lists.flatMap((list) => Object.keys(list ?? {}).map((name) => resolve(from, name)))
    return [...new Set(found.flatMap((path) => (path !== undefined && scopes.has(path) ? [path] : [])))]
      .map(refOf)
      .sort()
  }
  const subject = purl(about.name, about.version)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type,
        'bom-ref': subject,
        name: about.name,
        version: about.version,
        description: about.description,
        licenses: [{ license: { id: about.license } }],
        purl: subject,
      },
    },
    components: unique(
      paths.map((path) => {
        const { version, license, integrity } = packages[path]
        const [algorithm, digest] = integrity?.split('-') ?? []
        return {
          type: 'library',
          'bom-ref': refOf(path),
          name: nameOf(packages, path),
          version,
          scope: scopes.get(path),
          ...(digest && {
            hashes: [
              {
                alg: algorithm.replace('sha', 'SHA-'),
                content: Buffer.from(digest, 'base64').toString('hex'),
              },
            ],
          }),
          ...(license && {
            licenses: [licenseOf(license)],
          }),
          purl: refOf(path),
          ...((bundled.has(path) || isOwn(path)) && {
            properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
          }),
        }
      }),
    ),
    dependencies: [
      {
        ref: subject,
        dependsOn: refsOf(
          folder,
          about.dependencies,
          about.optionalDependencies,
          about.peerDependencies,
          Object.fromEntries(own.map((name) => [name, ''])),
        ),
      },
      ...unique(
        paths.map((path) => {
          const { dependencies = {}, optionalDependencies = {} } = packages[path]
          return {
            'bom-ref': refOf(path),
            ref: refOf(path),
            dependsOn: refsOf(path, dependencies, optionalDependencies, bundledInto(path) ?? {}),
          }
        }),
      ).map(({ ref, dependsOn }) => ({ ref, dependsOn })),
    ],
  }
}

/** The path in the lock file of what a package finds under a name, as Node resolves it. @param {Record<string, Locked>} packages @param {string} from @param {string} name */
function resolveLocked(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path]?.link) return packages[path].resolved
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

/** @param {Record<string, Locked>} packages @param {string} path */
const nameOf = (packages, path) => packages[path].name ?? path.replace(/^.*node_modules\/|^packages\//, '')

/** A licence of a package.json: an identifier or expression of SPDX, or words that name a file. @param {string} license */
function licenseOf(license) {
  if (/^(SEE LICENSE IN|UNLICENSED)/.test(license)) return { license: { name: license } }
  return / (AND|OR|WITH) /.test(license) ? { expression: license } : { license: { id: license } }
}

/** @param {string} name @param {string} version */
const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** Items with different references: a version may be installed in several folders. @template {{ 'bom-ref': string }} T @param {T[]} items */
const unique = (items) => [...new Map(items.map((item) => [item['bom-ref'], item])).values()]
