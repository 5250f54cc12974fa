import { buildCommandLine, builtCommandLine } from './build/command-line.ts'
import { buildDashboard } from './build/dashboard.ts'
import { buildLibraries } from './build/libraries.ts'
import { buildServer, builtServer } from './build/server.ts'

/** Everything that is built before the server starts. */
export async function build(): Promise<void> {
  await Promise.all([buildDashboard(), buildCommandLine(), buildLibraries(), buildServer()])
}

/** Tells tests and benchmarks what to run. */
export const builtPrograms = {
  MASTHEAD_TEST_SERVER: builtServer,
  MASTHEAD_TEST_COMMAND_LINE: builtCommandLine,
}

if (import.meta.main) await build()
