// The SBOM of a release in CycloneDX 1.6: Bun, and the packages in the executables, the image and the package. `npm sbom` lists development
// packages instead, and fails on a workspace without a version.

import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import packageJson from '../package.json'
import { carriedPackages } from './notices.ts'

const root = join(import.meta.dir, '..')

/** Reproducible: it leaves out the optional time and serial number. */
export function sbom(): string {
  const { name, version, license, devDependencies } = packageJson
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const component = (integrity: string, name: string, version: string, license: string) => {
    const [, algorithm = '', digest = ''] = /^(sha\d+)-(.*)$/.exec(integrity) ?? []
    return {
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      // The checksum of the package in the registry.
      hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
      licenses: [{ license: { id: license } }],
    }
  }
  const carried = carriedPackages().map(([folder, { name, version, license = '', integrity }]) =>
    component(integrity ?? packages[relative(root, folder)].integrity, name, version, license),
  )
  const all = [component(packages['node_modules/bun'].integrity, 'bun', devDependencies.bun, 'MIT'), ...carried]
  // A package can be installed in several places.
  const components = [...new Map(all.map((one) => [one.purl, one])).values()]
  const metadata = { component: { type: 'application', name, version, licenses: [{ license: { id: license } }] } }
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components }, null, 2)}\n`
}
