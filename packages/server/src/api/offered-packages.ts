import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A package as `npm run build` packed it, for `npx` and `npm install`. */
export interface OfferedPackage {
  version: string
  /** Names the content too, because npm remembers a package by its address. */
  url: string
  /** Of the archive, in hexadecimal. */
  sha256: string
  archive: Buffer
}

/** What a server offers: where it is served, what its archive is called, and what a person calls it. */
export const packageKinds = {
  commandLine: { folder: 'cli', name: 'masthead', title: 'The command line' },
  client: { folder: 'packages', name: 'masthead-client', title: 'The client' },
  contract: { folder: 'packages', name: 'masthead-contract', title: 'The contract' },
} as const

export type PackageKind = keyof typeof packageKinds

/** Null where it was not built. */
export type OfferedPackages = Record<PackageKind, OfferedPackage | null>

export async function readPackages(
  folders: Record<PackageKind, string>,
  dashboard: string,
): Promise<OfferedPackages> {
  const [commandLine, client, contract] = await Promise.all([
    readPackage('commandLine', folders.commandLine, dashboard),
    readPackage('client', folders.client, dashboard),
    readPackage('contract', folders.contract, dashboard),
  ])
  return { commandLine, client, contract }
}

async function readPackage(
  kind: PackageKind,
  built: string,
  dashboard: string,
): Promise<OfferedPackage | null> {
  const { folder, name } = packageKinds[kind]
  const archive = await readFile(join(built, `${name}.tgz`)).catch(() => null)
  if (archive === null) return null
  const { version } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as { version: string }
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const url = `${dashboard}/${folder}/${name}-${version}-${sha256.slice(0, 8)}.tgz`
  return { version, url, sha256, archive }
}

/** By the name of the archive. What was not built has an address too, which says so. */
export function packageAddresses(packages: OfferedPackages, dashboard: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(packageKinds).map(([kind, { folder, name }]) => [
      name,
      packages[kind as PackageKind]?.url ?? `${dashboard}/${folder}/${name}.tgz`,
    ]),
  )
}
