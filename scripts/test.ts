import { join } from 'node:path'
import { findPeer, installPeers } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { buildDashboard } from './build-dashboard.ts'
import { listFiles, repositoryRoot } from './repository.ts'
import { printSummary, runTestFiles, type TestTotals } from './run-test-files.ts'
import { verify } from './verify.ts'

// Every process a test starts loads the same modules; compiled once, they load in half the time.
process.env.NODE_COMPILE_CACHE ??= join(repositoryRoot, 'node_modules/.cache/compiled')

/** Parts of paths: `npm test -- accounts` runs the tests whose path holds "accounts", without the checks. */
const wanted = process.argv.slice(2).filter((argument) => argument !== '--')
const select = (patterns: string[]) =>
  listFiles(repositoryRoot, patterns).filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  )
const unitTests = select(['{packages,scripts,testing,bench}/**/*.test.{ts,tsx}'])
const journeys = select(['journeys/**/*.test.ts'])

let passed = await installPeers('tests')
if (wanted.length === 0) passed = (await verify()) && passed
if (wanted.length === 0 || journeys.length > 0) {
  await buildDashboard().catch((error: Error) => {
    console.log(error.message)
    passed = false
  })
}

// From here on there is something to clean up before an interruption may end this process.
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
const postgres = findPeer('postgresql') === null ? undefined : await startPostgres({ durable: false })
if (postgres !== undefined) process.env.MASTHEAD_TEST_POSTGRES = postgres.url
const totals: TestTotals[] = []
try {
  totals.push(await runTestFiles(unitTests, { concurrency: 2, signal: interrupted.signal }))
  // A journey runs several processes and a browser; two at once would only slow each other down.
  totals.push(await runTestFiles(journeys, { concurrency: 1, signal: interrupted.signal }))
} finally {
  await postgres?.stop()
}
printSummary(totals)
if (unitTests.length + journeys.length === 0) console.log('No test has such a path.')
const ran = unitTests.length + journeys.length > 0 && !interrupted.signal.aborted
process.exit(passed && ran && totals.every(({ success }) => success) ? 0 : 1)
