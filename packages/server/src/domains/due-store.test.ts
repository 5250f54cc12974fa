import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely'
import type { Database, Reader, Tx } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type Domains, startDomains } from './domains.test-kit.ts'
import { accountsWithDue } from './due-store.ts'
import { leaseNext } from './lease-store.ts'
import { leaseNextProof } from './proofs/store.ts'

const many = 1_500
const batch = 100
const now = 10_000

/** Two accounts with a due domain and a due proof each, and one of them with a thousand more of both. */
async function seed(domains: Domains) {
  const { database } = domains.context
  const other = await domains.addCustomer('other')
  const sample = await domains.add('sample.test')
  await database.write(async (tx) => {
    await tx.deleteFrom('domains').execute()
    const due = Array.from({ length: many + 1 }, (_, n) => {
      const of = n < many ? domains : other
      return { n, of, row: { account_id: of.account.id, next_check_at: n + 1, lease_until: 0 } }
    })
    const claims = due.map(({ n, of, row }) => {
      const own = {
        id: `dom_${n}`,
        project_id: of.project.id,
        hostname: `n${n}.test`,
        target: `t${n}`,
      } as const
      return { ...sample, ...row, ...own }
    })
    const proof = { state: 'pending', stands: 0, token: '', created_at: 1, state_since: 1 } as const
    const unseen = { proved_at: null, seen_at: null, last_check: null }
    const proofs = due.map(({ n, row }) => ({ ...row, ...proof, ...unseen, domain: `n${n}.test` }))
    for (let from = 0; from < due.length; from += batch) {
      await tx
        .insertInto('domains')
        .values(claims.slice(from, from + batch))
        .execute()
      await tx
        .insertInto('domain_proofs')
        .values(proofs.slice(from, from + batch))
        .execute()
    }
  })
  if (database.dialect === 'postgres') await sql.raw('analyze').execute(database.read)
  return { busy: domains.account.id, other: other.account.id }
}

interface PlanNode {
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** How queries found their rows: on PostgreSQL how many they read, on SQLite by which index. */
async function readsOf(
  database: Database,
  work: (recorded: Database) => Promise<unknown>,
): Promise<string[]> {
  const nodes: RootOperationNode[] = []
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  await work({
    ...database,
    read: database.read.withPlugin(recorder),
    write: (run) => database.write((tx) => run(tx.withPlugin(recorder) as Tx)),
  })
  const explained: string[] = []
  for (const node of nodes) explained.push(...(await explain(database, database.read, node)))
  return explained
}

async function explain({ dialect }: Database, db: Reader, node: RootOperationNode): Promise<string[]> {
  const query = db.getExecutor().compileQuery(node, { queryId: '' })
  // It was compiled before its values were known, and is the same as the next one.
  if (query.parameters.some((value) => typeof value === 'object')) return []
  if (dialect === 'sqlite') {
    const plan = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters])
    return (await db.executeQuery<{ detail: string }>(plan)).rows.map(({ detail }) => detail)
  }
  const plan = CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters])
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(plan)
  return rows.map((row) => `${leafRows(row['QUERY PLAN'][0]?.Plan ?? assert.fail())} rows`)
}

function leafRows(node: PlanNode): number {
  if (node.Plans === undefined) return node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  return node.Plans.reduce((sum, child) => sum + leafRows(child), 0)
}

onEachDatabase('what is due', ({ open, dialect }) => {
  for (const table of ['domains', 'domain_proofs'] as const) {
    const byAccount = `SEARCH ${table} USING INDEX ${table}_due_by_account (account_id=? AND next_check_at<?)`
    const bySpan = `SEARCH ${table} USING INDEX ${table}_due (next_check_at>? AND next_check_at<?)`

    test(`of ${table} is leased without reading the others of an account`, async () => {
      await using database = await open()
      await using domains = await startDomains(database)
      const { busy, other } = await seed(domains)
      for (const account of [busy, other]) {
        const reads = await readsOf(database, (recorded) =>
          table === 'domains'
            ? leaseNext(recorded, { owner: 'worker', account, now })
            : leaseNextProof(recorded, { account, now, until: now + 1 }),
        )
        // PostgreSQL also reads the row that was just leased.
        const expected = dialect === 'sqlite' ? [byAccount] : ['1 rows', '2 rows']
        assert.ok(reads.length > 0)
        for (const read of reads) assert.ok(expected.includes(read), read)
      }
    })

    test(`of ${table} is read once to find the accounts`, async () => {
      await using database = await open()
      await using domains = await startDomains(database)
      const { busy, other } = await seed(domains)
      assert.deepEqual(await accountsWithDue(database, table, { since: 0, now }), [busy, other])
      const reads = await readsOf(database, (recorded) =>
        accountsWithDue(recorded, table, { since: many - 1, now }),
      )
      assert.equal(reads[0], dialect === 'sqlite' ? bySpan : '3 rows')
    })
  }
})
