import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

const manifest = findPackageJSON(import.meta.url) ?? ''

export const packageFolder = dirname(manifest)

/** A program of this package, built if this one is. `name` is its path in `src`, without `.ts`. */
export function programFile(name: string): string {
  const isSource = import.meta.filename.endsWith('.ts')
  return isSource ? join(packageFolder, 'src', `${name}.ts`) : join(packageFolder, 'dist', `${name}.js`)
}

export async function packageVersion(): Promise<string> {
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}
