import { buildCommandLine } from './build/command-line.ts'
import { buildDashboard } from './build/dashboard.ts'
import { buildLibraries } from './build/libraries.ts'
import { buildServer } from './build/server.ts'

/** Everything that is built before the server starts. */
export async function build(): Promise<void> {
  await Promise.all([buildDashboard(), buildCommandLine(), buildLibraries(), buildServer()])
}

if (import.meta.main) await build()
