import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { CreatedWebhook } from '@masthead/contract/schemas/webhook.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { Webhook } from 'standardwebhooks'
import type { AccountRow } from '../accounts/account.ts'
import { createAccount } from '../accounts/account-lifecycle.ts'
import type { KeyActor } from '../accounts/actor.ts'
import type { Database } from '../database/database.ts'
import { createDns } from '../dns/dns.ts'
import { recordEvent, system } from '../events/record-event.ts'
import { issueKey } from '../keys/manage-keys.ts'
import { targetRules } from '../outgoing/target.ts'
import { createSealing } from '../secrets/sealing.ts'
import { claimQueues } from './delivery/claim.ts'
import { readOutbox } from './delivery/outbox.ts'
import type { ClaimedQueue } from './delivery/queue-store.ts'
import { recordAttempt } from './delivery/record-attempt.ts'
import { schedule } from './delivery/schedule.ts'
import { DeliverySlots } from './delivery/slots.ts'
import { createWebhook } from './manage-webhooks.ts'

export const rules = targetRules('masthead.localhost')
export const silentDns = createDns({
  servers: [{ address: '127.0.0.1', port: 1 }],
  authoritativePort: 1,
  allowPrivate: true,
})
export type Webhooks = Awaited<ReturnType<typeof startWebhooks>>

/** An account with one webhook, on a real database, with a clock that the test sets. */
export async function startWebhooks(
  database: Database,
  { url = 'http://localhost:3000/hook', key = Buffer.alloc(32, 7), at = Date.UTC(2030, 0, 1) } = {},
) {
  const clock = { at }
  const context = { database, now: () => clock.at, sealing: createSealing([key]), rules, dns: silentDns }
  const by = system
  const addAccount = () =>
    database.write((tx) => createAccount(tx, { name: 'Acme', plan: 'free', by, at: clock.at }))
  const account = await addAccount()
  const add = async (of = account, more: { url?: string; events?: [EventType, ...EventType[]] } = {}) =>
    createWebhook(context, await keyOf(of), { url, events: null, format: 'standard', ...more })
  /** Of the account, with nobody responsible for it. */
  async function keyOf(of: AccountRow): Promise<KeyActor> {
    const input = { accountId: of.id, name: 'Test', scopes: scopeNames, expiresAt: null, by, at: clock.at }
    const { id, name } = await database.write((tx) => issueKey(tx, input))
    const own = { id, name, expiresAt: null, responsibleId: null, projectId: null }
    const key = { ...own, personName: null, isOfPipeline: false, liveBranch: null, previewBranch: null }
    return { kind: 'key', account: of, key, scopes: scopeNames }
  }
  const webhook = await add()
  let owners = 0

  return {
    context,
    clock,
    account,
    webhook,
    addAccount,
    add,
    record: (type: EventType, projectId?: Id<'project'>, data: object = {}, of = account) =>
      database.write((tx) =>
        recordEvent(tx, {
          accountId: of.id,
          type,
          by,
          at: clock.at,
          data: { ...data },
          ...(projectId === undefined ? {} : { projectId }),
        }),
      ),
    /** What a worker would take now, all of it. */
    async claim({
      concurrency = 100,
      perWebhook = 4,
      leaseFor = 60_000,
      mostCandidates = 200,
    } = {}): Promise<ClaimedQueue[]> {
      while (await readOutbox(context));
      return claimQueues(database, {
        schedule,
        leaseFor,
        slots: new DeliverySlots(concurrency),
        running: new Map(),
        perWebhook,
        mostCandidates,
        newOwner: () => `worker-${owners++}`,
        now: clock.at,
      })
    },
    /** Stores an attempt that ended with this status. */
    answer: (
      claimed: ClaimedQueue,
      status: number | null,
      { goOn = false, retryAfter = null as number | null } = {},
    ) =>
      recordAttempt(
        database,
        claimed,
        { at: new Date(clock.at).toISOString(), ms: 5, status, error: null, answer: `said ${status}` },
        { schedule, now: clock.at, leaseUntil: goOn ? clock.at + 60_000 : null, retryAfter },
      ),
    row: () =>
      database.read.selectFrom('webhooks').selectAll().where('id', '=', webhook.id).executeTakeFirstOrThrow(),
    states: async () =>
      (
        await database.read.selectFrom('webhook_deliveries').select(['state', 'type']).orderBy('id').execute()
      ).map(({ type, state }) => `${type} ${state}`),
  }
}

export interface Received {
  id: string
  type: string
  resource: string
}

export type Handle = (message: Received, req: IncomingMessage, res: ServerResponse) => void

/** A receiver that verifies every signature with the reference library. */
export async function startReceiver(handle: Handle) {
  const faults: unknown[] = []
  let secret: string | null = null
  const server = createServer(async (req, res) => {
    res.on('error', () => {})
    try {
      let body = ''
      for await (const chunk of req) body += chunk
      const { data, type } = JSON.parse(body) as {
        type: string
        data: { accountId: string; projectId: string | null }
      }
      if (secret !== null) new Webhook(secret).verify(body, req.headers as Record<string, string>)
      handle(
        { id: String(req.headers['webhook-id']), type, resource: data.projectId ?? data.accountId },
        req,
        res,
      )
    } catch (error) {
      // A sender that was killed leaves half a request.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') faults.push(error)
      res.writeHead(500).end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    faults,
    expect(webhook: Pick<CreatedWebhook, 'secret'>) {
      secret = webhook.secret
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
