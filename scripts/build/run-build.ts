import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { notSource, repositoryRoot } from '../repository.ts'

export const viteProgram = join(repositoryRoot, 'node_modules/vite/bin/vite.js')

export interface Build {
  /** Completes "Building …". */
  what: string
  /** The folder of its `vite.config.ts`. */
  folder: string
  /** The file that is written last. */
  result: string
  /** The files and folders it is made from. */
  sources: readonly string[]
  /** Whatever comes after Vite. */
  finish?: () => Promise<void>
}

/** Builds unless the last result is newer than all its sources. */
export async function runBuild(build: Build): Promise<void> {
  const { what, folder, finish } = build
  if (!existsSync(join(folder, 'vite.config.ts')) || isFresh(build)) return
  console.log(`Building ${what}. This is needed once, and again after an update.`)
  const start = performance.now()
  const child = spawn(process.execPath, [viteProgram, 'build', '--logLevel', 'warn'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  if (status !== 0) throw new Error(`Building ${what} failed:\n${output}${errors}`)
  await finish?.()
  console.log(`Built ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

function isFresh({ folder, result, sources }: Build): boolean {
  const built = statSync(join(folder, result), { throwIfNoEntry: false })
  if (built === undefined) return false
  return !sources.some((path) => hasChangedSince(join(repositoryRoot, path), built.mtimeMs))
}

/** Globs take five times as long, at every start of the server. */
function hasChangedSince(path: string, time: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found !== undefined && found.mtimeMs > time
  return readdirSync(path).some(
    (name) => !notSource.has(name) && !name.includes('.test.') && hasChangedSince(join(path, name), time),
  )
}
