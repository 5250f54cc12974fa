import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type {
  CreatedWebhook,
  NewWebhook,
  Webhook,
  WebhookUpdate,
} from '@masthead/contract/schemas/webhook.ts'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { type AccountActor, eventActor } from '../accounts/actor.ts'
import { confirmAccess } from '../accounts/confirm-access.ts'
import { type Context, lock, type Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { parseTarget, TargetError, type TargetRules } from '../outgoing/target.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { hurryQueues } from './delivery/queue-store.ts'
import { disableWebhook } from './disable-webhook.ts'
import { newSecret, replaceSecret, sealSecret } from './secrets.ts'
import {
  deleteSomeWebhookRows,
  deleteWebhook,
  disableWebhooksOf,
  findWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
  webhooksOf,
} from './store.ts'
import { toWebhook } from './webhook.ts'

export interface ManagingContext extends Context {
  sealing: Sealing
  rules: TargetRules
}

/** The scopes of those who can create a webhook: it gets what `read` shows. */
export const webhookScopes = ['admin', 'read'] as const

interface Whose {
  accountId: Id<'account'>
  by: EventActor
}

interface Which extends Whose {
  webhookId: Id<'webhook'>
}

export async function listWebhooks(
  { database, now }: Context,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<Webhook>> {
  const before = readCursor(cursor)
  const rows = (await webhooksOf(database.read, accountId)).filter(
    ({ id }) => before === undefined || id < before,
  )
  return toPage(
    rows,
    limit,
    ({ id }) => id,
    (row) => toWebhook(row, now()),
  )
}

export async function readWebhook(
  { database, now }: Context,
  accountId: Id<'account'>,
  id: Id<'webhook'>,
): Promise<Webhook> {
  return toWebhook(found(await findWebhook(database.read, accountId, id), id), now())
}

/** The secret is returned once and stored sealed. */
export async function createWebhook(
  { database, now, sealing, rules }: ManagingContext,
  actor: AccountActor,
  { url, events, format }: NewWebhook,
): Promise<CreatedWebhook> {
  const target = checkedUrl(url, rules)
  const at = now()
  const id = newId('webhook', at)
  const secret = newSecret()
  const accountId = actor.account.id
  const created: Omit<WebhookRow, 'responsible_id'> = {
    id,
    account_id: accountId,
    url: target,
    format,
    events: events === null ? null : JSON.stringify([...new Set(events)]),
    sealed_secret: sealSecret(sealing, id, secret),
    sealed_previous_secret: null,
    previous_until: 0,
    sealed_older_secrets: null,
    created_at: at,
    disabled_at: null,
    disabled_reason: null,
    failures: 0,
    failing_since: null,
    paused_until: 0,
    delivered_at: null,
  }
  return database.write(async (tx) => {
    const row = { ...created, responsible_id: await confirmAccess(database, tx, actor, webhookScopes) }
    await lock(database, tx, `webhooks of ${accountId}`)
    if ((await webhooksOf(tx, accountId)).length >= webhookLimits.perAccount) throw limitReached()
    await insertWebhook(tx, row)
    const by = eventActor(actor)
    await recordEvent(tx, { accountId, type: 'webhook.created', by, at, data: eventData(row) })
    return { ...toWebhook(row, at), secret }
  })
}

/** Who chooses the address is responsible for the webhook. */
export async function changeWebhook(
  { database, now, rules }: ManagingContext,
  actor: AccountActor,
  { webhookId, url, events, format, enabled }: Pick<Which, 'webhookId'> & WebhookUpdate,
): Promise<Webhook> {
  const target = url === undefined ? undefined : checkedUrl(url, rules)
  const accountId = actor.account.id
  return database.write(async (tx) => {
    const at = now()
    const responsible =
      target === undefined ? {} : { responsible_id: await confirmAccess(database, tx, actor, webhookScopes) }
    const before = await lockOwn(database, tx, accountId, webhookId)
    const isEnabled = enabled ?? before.disabled_at === null
    const change = {
      ...(target === undefined ? {} : { url: target }),
      ...(target === undefined || target === before.url ? {} : responsible),
      ...(events === undefined
        ? {}
        : { events: events === null ? null : JSON.stringify([...new Set(events)]) }),
      ...(format === undefined ? {} : { format }),
      // What failed before says nothing about a new address.
      ...(target !== undefined || enabled === true
        ? { failures: 0, failing_since: null, paused_until: 0 }
        : {}),
      ...(isEnabled ? { disabled_at: null, disabled_reason: null } : {}),
    }
    if (Object.keys(change).length > 0) await updateWebhook(tx, webhookId, change)
    if (isEnabled) await hurryQueues(tx, webhookId, at)
    else if (before.disabled_at === null) await disableWebhook(tx, webhookId, { reason: 'paused', at })
    const after = found(await findWebhook(tx, accountId, webhookId), webhookId)
    await recordEvent(tx, {
      accountId,
      type: 'webhook.changed',
      by: eventActor(actor),
      at,
      data: { ...eventData(after), enabled: isEnabled },
    })
    return toWebhook(after, at)
  })
}

/** The previous secrets keep signing for a while, so that the receiver can change at any time in between. */
export async function rotateSecret(
  { database, now, sealing }: ManagingContext,
  { accountId, webhookId, by }: Which,
): Promise<CreatedWebhook> {
  const secret = newSecret()
  return database.write(async (tx) => {
    const at = now()
    const before = await lockOwn(database, tx, accountId, webhookId)
    await updateWebhook(tx, webhookId, replaceSecret(sealing, before, secret, at))
    const after = found(await findWebhook(tx, accountId, webhookId), webhookId)
    await recordEvent(tx, { accountId, type: 'webhook.secret_rotated', by, at, data: eventData(after) })
    return { ...toWebhook(after, at), secret }
  })
}

export async function removeWebhook(
  { database, now }: Context,
  { accountId, webhookId, by }: Which,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await lockOwn(database, tx, accountId, webhookId)
    await endWebhook(tx, row, { by, at: now() })
  })
}

/** The caller holds its lock. Returns the host it sent to. */
export async function endWebhook(
  tx: Tx,
  row: WebhookRow,
  { by, at }: { by: EventActor; at: number },
): Promise<string> {
  const data = eventData(row)
  await deleteWebhook(tx, row.id)
  await recordEvent(tx, { accountId: row.account_id, type: 'webhook.removed', by, at, data })
  return data.host
}

/** Nothing is sent from now on. `removeAllWebhooks` does the rest. */
export async function stopAllWebhooks(tx: Tx, accountId: Id<'account'>, at: number): Promise<void> {
  await disableWebhooksOf(tx, accountId, at)
}

/** In batches, because they may have very many deliveries. */
export async function removeAllWebhooks(
  { database }: Pick<Context, 'database'>,
  accountId: Id<'account'>,
): Promise<void> {
  const deleteSome = async (tx: Tx) => {
    // Somebody else who deletes the same batch would find nothing in it, as if it were the last one.
    await lock(database, tx, `webhooks of ${accountId}`)
    return deleteSomeWebhookRows(tx, accountId)
  }
  while (await database.write(deleteSome));
}

/** The webhook of this account, locked. */
export async function lockOwn(
  database: Context['database'],
  tx: Tx,
  accountId: Id<'account'>,
  id: Id<'webhook'>,
): Promise<WebhookRow> {
  const row = await lockWebhook(database, tx, id)
  return found(row?.account_id === accountId ? row : undefined, id)
}

export function found(row: WebhookRow | undefined, id: Id<'webhook'>): WebhookRow {
  if (row === undefined) throw new Problem('not_found', `There is no webhook ${id}.`)
  return row
}

/** Only the host: the rest of the URL may be as secret as a password. */
function eventData({ id, url }: WebhookRow) {
  return { webhookId: id, host: new URL(url).host }
}

function checkedUrl(text: string, rules: TargetRules): string {
  try {
    return parseTarget(text, rules).href
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw new Problem('invalid_input', `The URL ${error.message}.`, {
      extra: { errors: [{ path: 'url', message: error.message }] },
    })
  }
}

function limitReached(): Problem {
  const { perAccount } = webhookLimits
  return new Problem('webhook_limit_reached', `An account can have ${perAccount} webhooks.`)
}
