import { chmod } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { startPebblePool } from '@masthead/testing/peers/pebble/pebble-pool.ts'
import { findPeer, installPeers } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { diskForTests, folderInMemory } from '@masthead/testing/temporary-folder.ts'
import { build, builtPrograms } from './build.ts'
import { listFiles, repositoryRoot } from './repository.ts'
import { runTestFiles } from './run-test-files.ts'
import { printSummary, type TestTotals } from './test-group/totals.ts'
import { loads, queueTestFiles } from './test-queue.ts'
import { verify } from './verify.ts'

// Every process a test starts loads the same modules; compiled once, they load in half the time.
process.env.NODE_COMPILE_CACHE ??= join(repositoryRoot, 'node_modules/.cache/compiled')

/** Parts of paths: `npm test -- accounts` runs the tests whose path holds "accounts", without the checks. */
const wanted = process.argv.slice(2).filter((argument) => argument !== '--')
const select = (patterns: string[]) =>
  listFiles(repositoryRoot, patterns).filter(
    (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
  )
const files = select(['{packages,scripts,testing,bench,journeys}/**/*.test.{ts,tsx}'])

const isWhole = wanted.length === 0
/** The recipes of pipelines get the command line that the server offers. */
const recipes = 'packages/cli/src/integrations.test.ts'
const needsBuild = isWhole || files.some((file) => file.startsWith('journeys/') || file === recipes)
const verified = isWhole ? verify() : Promise.resolve(true)
const [installed, built] = await Promise.all([installPeers('tests'), !needsBuild || tryBuild()])

async function tryBuild(): Promise<boolean> {
  try {
    await build()
    return true
  } catch (error) {
    console.log((error as Error).message)
    return false
  }
}

if (needsBuild) Object.assign(process.env, builtPrograms)

// From here on there is something to clean up before an interruption may end this process.
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
const postgres = findPeer('postgresql') === null ? undefined : await startPostgres({ durable: false })
if (postgres !== undefined) process.env.MASTHEAD_TEST_POSTGRES = postgres.url
// What tests write is in memory if there is room: a tenth of their time is the disk's otherwise.
process.env.MASTHEAD_TEST_DISK = diskForTests
const temporary = await folderInMemory('run')
// Some peers run as users of their own.
await chmod(temporary.path, 0o1777)
process.env.TMPDIR = temporary.path
const pebbles = await startPebblePool()
process.env.MASTHEAD_TEST_PEBBLES = pebbles.url
process.env.MASTHEAD_TEST_RUN = temporary.path
let totals: TestTotals
try {
  const cores = availableParallelism()
  totals = await runTestFiles(queueTestFiles(files, cores), {
    cores,
    beside: { load: loads.unit, ended: verified },
    signal: interrupted.signal,
    longestFileMs: 10 * 60_000,
  })
} finally {
  await postgres?.stop()
  await pebbles.stop()
  await temporary.remove()
}
printSummary(totals)
if (files.length === 0) console.log('No test has such a path.')
const ran = files.length > 0 && !interrupted.signal.aborted
process.exit(installed && (await verified) && built && ran && totals.success ? 0 : 1)
