import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listFiles, repositoryRoot } from './repository.ts'

export const dashboardFolder = join(repositoryRoot, 'packages/dashboard')
export const viteProgram = join(repositoryRoot, 'node_modules/vite/bin/vite.js')

/** The bundle's inputs: the dashboard, the packages it imports, and the installed versions. */
const sources = ['packages/{dashboard,client,contract}/**/*', 'package-lock.json']

/** Builds the dashboard unless the last build is newer than all its inputs. */
export async function buildDashboard(): Promise<void> {
  if (!existsSync(join(dashboardFolder, 'vite.config.ts')) || isFresh()) return
  console.log('Building the dashboard. This is needed once, and again after an update.')
  const start = performance.now()
  const child = spawn(process.execPath, [viteProgram, 'build', '--logLevel', 'warn'], {
    cwd: dashboardFolder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  if (status !== 0) throw new Error(`The dashboard could not be built:\n${output}${errors}`)
  console.log(`Built the dashboard (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

function isFresh(): boolean {
  const built = join(dashboardFolder, 'dist/index.html')
  if (!existsSync(built)) return false
  const builtAt = statSync(built).mtimeMs
  return listFiles(repositoryRoot, sources)
    .filter((file) => !file.includes('.test.'))
    .every((file) => statSync(join(repositoryRoot, file)).mtimeMs <= builtAt)
}

if (import.meta.main) await buildDashboard()
