import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { installPeers } from '@masthead/testing/install-peers.ts'
import { measureDeploy } from './deploy.ts'
import { measureEdge } from './edge-http.ts'
import { measureLimitsOverHttp } from './limits-http.ts'
import { measureLimitsInMemory } from './limits-memory.ts'
import { measureLimitsOnRedis } from './limits-redis.ts'
import { describeMachine } from './machine.ts'
import { formatTable, type Table } from './table.ts'

const benches: Record<string, () => Promise<Table>> = {
  edge: measureEdge,
  deploy: measureDeploy,
  'limits-memory': measureLimitsInMemory,
  'limits-redis': measureLimitsOnRedis,
  'limits-http': measureLimitsOverHttp,
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(', ')}; there are ${Object.keys(benches).join(' and ')}.`,
  )
  process.exit(2)
}
await installPeers('bench')

const tables: string[] = []
for (const [name, measure] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`Measuring ${name} …`)
  const table = formatTable(await measure())
  tables.push(table)
  console.log(`\n${table}`)
}

// A part is no replacement for the whole: the record holds runs of everything.
if (wanted.length === 0) {
  const record = [
    '# Results',
    '',
    'The last full run of `npm run bench`, side by side on one machine. Absolute figures belong to that machine;',
    'the ratios are what carries over.',
    '',
    ...describeMachine(),
    '',
    ...tables,
  ].join('\n')
  const file = fileURLToPath(new URL('RESULTS.md', import.meta.url))
  await writeFile(file, `${record.trimEnd()}\n`)
  console.log('Kept in bench/RESULTS.md')
}
