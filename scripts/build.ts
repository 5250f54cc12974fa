import { buildCommandLine } from './build-cli.ts'
import { buildDashboard } from './build-dashboard.ts'

/** Everything that is built before the server starts. */
export async function build(): Promise<void> {
  await Promise.all([buildDashboard(), buildCommandLine()])
}

if (import.meta.main) await build()
