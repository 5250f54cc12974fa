import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely'
import { deletedAccountsWithContents } from '../accounts/store.ts'
import { deleteOlderThan } from '../api/idempotency-store.ts'
import { deleteFullBuckets } from '../certificates/authorities/budget-store.ts'
import { claimDueJobs } from '../certificates/jobs/job-lease-store.ts'
import { requestCertificate } from '../certificates/jobs/request-certificate.ts'
import { deleteUploadsBefore } from '../deployments/store.ts'
import { deleteUnprovedTombstones } from '../domains/claims/store.ts'
import { accountsWithDue } from '../domains/due-store.ts'
import { deleteTimelineBefore } from '../domains/timeline/store.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { deleteEventsBefore, eventsBefore } from '../events/store.ts'
import { FairSemaphore } from '../kernel/fair-queue.ts'
import { deleteExpiredPipelineKeys, insertLogin } from '../keys/store.ts'
import { deleteRequestsBefore } from '../limits/store.ts'
import { deleteExpiredInvitations } from '../people/link-store.ts'
import { deleteAttemptsBefore, deleteExpiredSessions } from '../people/session-store.ts'
import { findAccountsOf, membershipsOf } from '../people/store.ts'
import { deleteReleasedSlugs } from '../projects/released-slug-store.ts'
import { hiddenProjects, sitesBefore } from '../projects/store.ts'
import { deleteExpiredTickets } from '../protection/store.ts'
import { deleteTokensBefore } from '../trusted-publishers/store.ts'
import { dueQueues } from '../webhooks/delivery/queue-store.ts'
import { deleteFinishedBefore } from '../webhooks/store.ts'
import type { Database, Tx } from './database.ts'
import { openSqlite } from './each-database.test-kit.ts'

const login = {
  code: 'ABCD',
  secret_hash: '',
  client: '',
  address: '',
  state: 'pending',
  account_id: null,
  person_id: null,
  created_at: 7,
  expires_at: 8,
} as const

/** What removes expired rows from tables that grow. */
const byTime: Record<string, (tx: Tx) => Promise<unknown>> = {
  'cancelled uploads': (tx) => deleteUploadsBefore(tx, 7),
  'expired sessions': (tx) => deleteExpiredSessions(tx, 7),
  'old attempts': (tx) => deleteAttemptsBefore(tx, 7),
  'expired logins': (tx) => insertLogin(tx, login),
  'old answers': (tx) => deleteOlderThan(tx, 7, 5),
  'old request counts': (tx) => deleteRequestsBefore(tx, 'minute', 7, 5),
  'keys of pipelines': (tx) => deleteExpiredPipelineKeys(tx, 7),
  'used tokens of pipelines': (tx) => deleteTokensBefore(tx, 7),
  'used tickets': (tx) => deleteExpiredTickets(tx, 7),
  'full buckets': (tx) => deleteFullBuckets(tx, 7),
  'released slugs': (tx) => deleteReleasedSlugs(tx, 7, 5),
  'tombstones of domains': (tx) => deleteUnprovedTombstones(tx, 7, 5),
  'timelines of domains': (tx) => deleteTimelineBefore(tx, 7, 5),
  'old events': (tx) => deleteEventsBefore(tx, 7, 5),
  'expired invitations': (tx) => deleteExpiredInvitations(tx, 7, 5),
  'deliveries of webhooks': (tx) => deleteFinishedBefore(tx, 7, 5),
}

/** What a job looks for every minute. */
const everyMinute: Record<string, (tx: Tx) => Promise<unknown>> = {
  'projects whose removal is unfinished': (tx) => hiddenProjects(tx),
  'deleted accounts with contents': (tx) => deletedAccountsWithContents(tx),
}

/** What every request of a person may ask. */
const byPerson: Record<string, (tx: Tx) => Promise<unknown>> = {
  'the accounts of a person': (tx) => findAccountsOf({ dialect: 'sqlite', read: tx }, { personId: 'usr_1' }),
  'the memberships of a person': (tx) => membershipsOf(tx, 'usr_1'),
}

/** What the worker asks before each check. */
const due: Record<string, (tx: Tx) => Promise<unknown>> = {
  'accounts with due domains': (tx) => accountsWithDue({ read: tx }, 'domains', { since: 5, now: 7 }),
  'accounts with due proofs': (tx) => accountsWithDue({ read: tx }, 'domain_proofs', { since: 5, now: 7 }),
}

/** SQLite's plans for every statement, with values unknown, as when a prepared statement is planned. */
async function plansOf(run: (tx: Tx) => Promise<unknown>): Promise<string[]> {
  await using database = await openSqlite()
  const nodes: RootOperationNode[] = []
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return await database.write(async (tx) => {
    await run(tx.withPlugin(recorder) as Tx)
    const steps: string[] = []
    for (const node of nodes) {
      const { sql } = tx.getExecutor().compileQuery(node, { queryId: '' })
      const { rows } = await tx.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${sql}`),
      )
      steps.push(...rows.map(({ detail }) => detail))
    }
    return steps
  })
}

describe('on SQLite, where a scan blocks everyone, no table is read as a whole for', () => {
  for (const [name, run] of Object.entries({ ...byTime, ...everyMinute, ...byPerson, ...due })) {
    test(name, async () => {
      const steps = await plansOf(run)
      assert.ok(
        steps.some((step) => step.startsWith('SEARCH')),
        steps.join('\n'),
      )
      assert.deepEqual(
        steps.filter((step) => step.startsWith('SCAN')),
        [],
      )
    })
  }
})

test('few events of a kind are found among many others of the project', async () => {
  const filter = { accountId: 'acc_1', kind: 'domain', projectId: 'prj_1' } as const
  const steps = await plansOf((tx) => eventsBefore(tx, filter, 'evt_1', 5))
  assert.match(
    steps.join('\n'),
    /^SEARCH events USING INDEX events_of_project_by_kind \(.*kind=\? AND id<\?\)$/,
  )
})

test('the first due queues of a webhook are found without reading and sorting the others', async () => {
  const question = { now: 7, perWebhook: 4, most: 5, areReliable: true, without: [] }
  const steps = await plansOf((tx) => dueQueues({ dialect: 'sqlite', read: tx }, question))
  assert.deepEqual(
    new Set(steps.filter((step) => / (webhook_queues|due) |OF ORDER BY/.test(step))),
    new Set([
      'SCAN webhook_queues USING COVERING INDEX webhook_queues_of_webhook',
      'SEARCH webhook_queues USING INDEX sqlite_autoindex_webhook_queues_1 (webhook_id=? AND resource=?)',
      'SEARCH due USING INDEX webhook_queues_of_webhook (webhook_id=? AND due_at<?)',
    ]),
  )
})

test('due certificate jobs are found from an index alone behind those of an account that has its share', async () => {
  const slots = new FairSemaphore(50)
  while (slots.tryAcquire('acc_1'));
  const request = { reason: 'first', at: 7, account: { id: 'acc_2', isPaying: true } } as const
  const steps = await plansOf(async (tx) => {
    const changes = { record: async () => {} } as Partial<ChangeFeed> as ChangeFeed
    await requestCertificate({ changes }, tx, { ...request, name: 'www.acme.test' })
    const database: Partial<Database> = { dialect: 'sqlite', read: tx, write: (work) => work(tx) }
    await claimDueJobs(database as Database, { owner: 'one', now: 7, slots })
  })
  const index = 'SEARCH certificate_jobs USING COVERING INDEX certificate_jobs_claimable'
  assert.deepEqual(
    new Set(steps.filter((step) => !step.includes('(name=?)'))),
    new Set([`${index} (priority=? AND next_attempt_at<?)`]),
  )
})

test('a search for the site of a domain looks for the domain once', async () => {
  const filter = { search: 'www.acme.test', takenDownOnly: false, limit: 5 }
  const steps = await plansOf((tx) => sitesBefore({ dialect: 'sqlite', read: tx }, filter))
  assert.ok(steps.some((step) => step.startsWith('SEARCH domains USING INDEX domains_by_hostname')))
  assert.deepEqual(
    steps.filter((step) => step.startsWith('CORRELATED')),
    [],
  )
})
