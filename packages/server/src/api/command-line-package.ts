import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The package of the command line, as `npm run build` packed it. */
export interface CommandLine {
  version: string
  /** Names the content too, because npm remembers a package by its address. */
  url: string
  /** Of the archive, in hexadecimal. */
  sha256: string
  archive: Buffer
}

/** Null if it was not built. */
export async function readCommandLine(folder: string, dashboard: string): Promise<CommandLine | null> {
  const archive = await readFile(join(folder, 'masthead.tgz')).catch(() => null)
  if (archive === null) return null
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  const sha256 = createHash('sha256').update(archive).digest('hex')
  const url = `${dashboard}/cli/masthead-${version}-${sha256.slice(0, 8)}.tgz`
  return { version, url, sha256, archive }
}
