import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { installPeers } from '@masthead/testing/peers/peers.ts'
import { measureApiRequests } from './api/requests.ts'
import { measureVisitsUnderApiLoad } from './api/visits.ts'
import { measureIssuance } from './certificates/issuance.ts'
import { measureOwnedCertificates } from './certificates/owned.ts'
import { measureDashboard } from './dashboard.ts'
import { measureDeploy } from './deploy.ts'
import { measureManyDomains } from './domains/million.ts'
import { measureRemoval } from './domains/removal.ts'
import { measureApiFlood } from './edge/hostile/api-flood.ts'
import { measureIdleConnections } from './edge/hostile/idle-connections.ts'
import { measurePasswordFlood } from './edge/hostile/password-flood.ts'
import { measureResetFlood } from './edge/hostile/reset-flood.ts'
import { measureStalledStreams } from './edge/hostile/stalled-streams.ts'
import { profileSecureEdge } from './edge/profile.ts'
import { measureEdgeQuickly } from './edge/quick.ts'
import { measureColdFiles } from './edge/s3/cold-files.ts'
import { measureCachedFiles } from './edge/s3/warm-files.ts'
import { measureHandshakes, measureManyFiles, measureOneFile } from './edge/serving.ts'
import { measureSiteRules } from './edge/site-rules.ts'
import { measureLimitsOverHttp } from './limits/http.ts'
import { measureLimitsInMemory } from './limits/memory.ts'
import { measureLimitsOnRedis } from './limits/redis.ts'
import { describeMachine, formatTable, type Table } from './report.ts'

const benches: Record<string, () => Promise<Table | Table[]>> = {
  'edge-http2': () => measureOneFile('HTTP/2'),
  'edge-http1': () => measureOneFile('HTTP/1.1'),
  'edge-plain': () => measureOneFile('plain HTTP/1.1'),
  'edge-mixed-http2': () => measureManyFiles('HTTP/2'),
  'edge-mixed-http1': () => measureManyFiles('HTTP/1.1'),
  'edge-mixed-plain': () => measureManyFiles('plain HTTP/1.1'),
  'edge-connections': measureHandshakes,
  'edge-rules': measureSiteRules,
  'edge-profile': profileSecureEdge,
  'edge-idle': measureIdleConnections,
  'edge-stalled': measureStalledStreams,
  'edge-resets': measureResetFlood,
  's3-warm': measureCachedFiles,
  's3-cold': measureColdFiles,
  'api-flood': measureApiFlood,
  'password-flood': measurePasswordFlood,
  deploy: measureDeploy,
  dashboard: measureDashboard,
  'domains-removal': measureRemoval,
  'domains-million': measureManyDomains,
  issuance: measureIssuance,
  'certificates-owned': measureOwnedCertificates,
  'limits-memory': measureLimitsInMemory,
  'limits-redis': measureLimitsOnRedis,
  'limits-http': measureLimitsOverHttp,
  'api-requests': measureApiRequests,
  'api-visits': measureVisitsUnderApiLoad,
}

/** For development: only when named exactly, since others measure the same at length. */
const quick: typeof benches = { 'edge-quick': measureEdgeQuickly }

const wanted = process.argv.slice(2)
/** `domains` selects all that start with it. */
const matches = (word: string, bench: string) => bench === word || bench.startsWith(`${word}-`)
const chosen = new Map(
  [...Object.entries(benches), ...Object.entries(quick)].filter(([name]) =>
    name in quick ? wanted.includes(name) : wanted.length === 0 || wanted.some((word) => matches(word, name)),
  ),
)
const unknown = wanted.filter((word) => ![...chosen.keys()].some((bench) => matches(word, bench)))
if (unknown.length > 0) {
  const names = [...Object.keys(benches), ...Object.keys(quick)]
  console.error(`There is no benchmark ${unknown.join(', ')}. Choose from ${names.join(', ')}.`)
  process.exit(2)
}
await installPeers('bench')

const tables: string[] = []
const failed: string[] = []
for (const [name, measure] of chosen) {
  console.log(`Measuring ${name} …`)
  try {
    for (const table of [await measure()].flat()) {
      const written = formatTable(table)
      tables.push(written)
      console.log(`\n${written}`)
      for (const promise of table.broken ?? []) {
        console.error(promise)
        process.exitCode = 1
      }
    }
  } catch (error) {
    // The others took up to an hour.
    console.error(error)
    failed.push(name)
  }
}
if (failed.length > 0) {
  console.error(`Not measured: ${failed.join(', ')}`)
  process.exitCode = 1
}

// Only a full run replaces the record.
if (wanted.length === 0 && failed.length === 0) {
  const record = [
    '# Results',
    '',
    'The last full run of `npm run bench`, side by side on one machine. Absolute figures depend on the machine;',
    'the ratios carry over. Older runs on other processors: [other-processors.md](other-processors.md).',
    '',
    ...describeMachine(),
    '',
    ...tables,
  ].join('\n')
  const file = fileURLToPath(new URL('RESULTS.md', import.meta.url))
  await writeFile(file, `${record.trimEnd()}\n`)
  console.log('Written to bench/RESULTS.md')
}
