import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, ratio, type Table, whole } from '../report.ts'
import {
  type Decide,
  fastifyInMemory,
  flexibleInMemory,
  flexibleUnionInMemory,
  mastheadInMemory,
} from './limiters.ts'

const rounds = 9
const decisionsPerRound = 200_000
const manyAccounts = 100_000

/** What a decision in memory costs, compared to limiters with one window, or two without a ban. */
export async function measureLimitsInMemory(): Promise<Table> {
  await using masthead = await mastheadInMemory()
  const limiters: { name: string; bytes: string; decide: Decide }[] = [
    { name: 'Masthead: two windows, ban, history', bytes: 'masthead', decide: masthead.decide },
    { name: 'rate-limiter-flexible: one window', bytes: 'flexible', decide: flexibleInMemory() },
    { name: 'rate-limiter-flexible: union of two', bytes: 'union', decide: flexibleUnionInMemory() },
    { name: '@fastify/rate-limit: one window', bytes: 'fastify', decide: fastifyInMemory(manyAccounts + 1) },
  ]
  const kinds = [kindOf(1, 'held'), kindOf(manyAccounts, 'held'), kindOf(manyAccounts, 'fresh')]
  const measured = limiters.map(() => kinds.map((): number[] => []))
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { decide }] of limiters.entries()) {
      for (const [kind, ids] of kinds.entries()) {
        const spent = await nanoseconds(decide, ids())
        // The first round warms up.
        if (round > 0) measured[index]?.[kind]?.push(spent)
      }
    }
  }
  const figures = measured.map((perKind) => perKind.map(median))
  const rows: string[][] = []
  for (const [index, { name, bytes }] of limiters.entries()) {
    const cells = figures[index]?.flatMap((spent, kind) => [
      whole(spent),
      ratio(spent, figures[1]?.[kind] ?? Number.NaN),
    ])
    rows.push([name, ...(cells ?? []), await bytesPerAccount(bytes)])
  }
  return {
    title: 'Limits in memory, nanoseconds per decision',
    columns: ['limiter', 'one account', '', '100,000 accounts', '', 'with fresh ids', '', 'bytes an account'],
    rows,
    notes: [
      `The median of ${rounds} rounds in turns, ${whole(decisionsPerRound)} admitted requests each; the figures for the headers included.`,
      'Ratios are to rate-limiter-flexible with one window: below 1.00× is quicker. Fresh ids are strings that were',
      'just read from a socket and have to be hashed first. Bytes: heap and buffers at a million accounts, ids',
      'included, in a process of its own.',
    ],
  }
}

interface Ids {
  accounts: string[]
  keys: string[]
}

/** The callers of a round: the same strings every time, as a server keeps them, or fresh copies. */
function kindOf(count: number, strings: 'held' | 'fresh'): () => Ids {
  const make = () => ({ accounts: idsOf('acc', count), keys: idsOf('key', count) })
  const held = make()
  return strings === 'held' ? () => held : make
}

function idsOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    Buffer.from(`${prefix}_${String(n).padStart(20, '0')}`).toString('latin1'),
  )
}

async function nanoseconds(decide: Decide, { accounts, keys }: Ids): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < decisionsPerRound; n++) {
    const at = n % accounts.length
    const verdict = decide(accounts[at] as string, keys[at] as string)
    // Awaiting a value that is no promise would cost time.
    if (verdict instanceof Promise) await verdict
  }
  return ((performance.now() - start) / decisionsPerRound) * 1e6
}

async function bytesPerAccount(name: string): Promise<string> {
  const program = fileURLToPath(new URL('limits-bytes.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, name])
  return whole(Number(stdout))
}
