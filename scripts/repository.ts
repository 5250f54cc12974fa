import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/** Generated and installed, not written. */
export const notSource: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', '.git'])

/** Paths below the root, with forward slashes, sorted, without generated and installed folders and the sites of journeys. */
export function listFiles(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) =>
      notSource.has(entry.name) ||
      join(entry.parentPath, entry.name) === join(root, 'data') ||
      (entry.isDirectory() && entry.parentPath === join(root, 'journeys/built-sites')),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

export interface PackageManifest {
  name: string
  version: string
  license?: string
  scripts?: Record<string, string>
  workspaces?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export function readManifest(root: string, folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

export function dependenciesOf(manifest: PackageManifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies })
}

/** Something a check found, and where. */
export interface Fault {
  file: string
  line: number
  message: string
}

/** Prints one line per fault. The process fails if there is any. */
export function reportFaults(faults: readonly Fault[]): void {
  for (const { file, line, message } of faults) console.log(`${file}:${line} ${message}`)
  if (faults.length > 0) process.exitCode = 1
}
