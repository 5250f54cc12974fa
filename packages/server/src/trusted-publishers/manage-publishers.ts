import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { NewTrustedPublisher, TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import { claimsError, trustLimits } from '@masthead/contract/trust/trusted-publishers.ts'
import { type AccountActor, eventActor, refuseExpiringKey } from '../accounts/actor.ts'
import { confirmAccess } from '../accounts/confirm-access.ts'
import { type Context, lock, type Tx } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { refuseWiderScopes, revokeKeysOfPublisher } from '../keys/manage-keys.ts'
import { TargetError, type TargetRules } from '../outgoing/target.ts'
import { requireProject } from '../projects/change-project.ts'
import { readProject } from '../projects/read.ts'
import { parseIssuerUrl } from './issuers/fetch-json.ts'
import { pipelineName, readClaims, toPublisher } from './publisher.ts'
import { deletePublisher, insertPublisher, type PublisherRow, publishersOf } from './store.ts'

export interface TrustContext extends Context {
  rules: TargetRules
  /** What tokens must be made for. */
  audience: string
}

/** The scopes of the keys that pipelines get. */
export const pipelineScopes = ['read', 'deploy'] as const

/** The scopes of those who can trust a pipeline. */
export const trustingScopes = ['admin', ...pipelineScopes] as const

export async function listPublishers(
  { database, audience }: TrustContext,
  accountId: Id<'account'>,
  { cursor, limit }: PageRequest,
): Promise<Page<TrustedPublisher>> {
  const before = readCursor(cursor)
  const rows = await publishersOf(database.read, accountId)
  return toPage(
    rows.filter(({ id }) => before === undefined || id < before),
    limit,
    ({ id }) => id,
    (row) => toPublisher(row, audience),
  )
}

export async function addPublisher(
  { database, now, rules, audience }: TrustContext,
  actor: AccountActor,
  { issuer, claims, project: name }: NewTrustedPublisher,
): Promise<TrustedPublisher> {
  refuseWiderScopes(pipelineScopes, actor.scopes)
  refuseExpiringKey(actor, 'trust a pipeline')
  refuseIssuer(issuer, rules)
  const fault = claimsError(issuer, claims)
  if (fault !== null) throw invalid('claims', `The claims ${fault}.`, fault)
  const project = await readProject({ database }, actor.account.id, name)
  const accountId = actor.account.id
  return database.write(async (tx) => {
    const at = now()
    const responsibleId = await confirmAccess(database, tx, actor, trustingScopes)
    const { id: projectId, slug } = await requireProject(database, tx, project)
    await lock(database, tx, `trusted publishers of ${accountId}`)
    if ((await publishersOf(tx, accountId)).length >= trustLimits.perAccount) {
      const most = `An account can trust ${trustLimits.perAccount} pipelines.`
      throw new Problem('trusted_publisher_limit_reached', most)
    }
    const by = eventActor(actor)
    const row = {
      id: newId('publisher', at),
      account_id: accountId,
      project_id: projectId,
      issuer,
      claims: JSON.stringify(claims),
      created_at: at,
      created_by: by.name,
      last_used_at: null,
      responsible_id: responsibleId,
    }
    await insertPublisher(tx, row)
    const data = { publisherId: row.id, name: pipelineName(issuer, claims), slug, issuer, claims }
    await recordEvent(tx, { accountId, type: 'publisher.added', projectId, by, at, data })
    return toPublisher({ ...row, project_slug: slug }, audience)
  })
}

export async function removePublisher(
  { database, now }: Context,
  actor: AccountActor,
  publisherId: Id<'publisher'>,
): Promise<void> {
  await database.write(async (tx) => {
    const row = (await publishersOf(tx, actor.account.id)).find(({ id }) => id === publisherId)
    if (row === undefined) throw new Problem('not_found', `There is no trusted publisher ${publisherId}.`)
    await endPublisher(tx, row, { by: eventActor(actor), at: now() })
  })
}

/** The keys that it got end too. Returns its name. */
export async function endPublisher(
  tx: Tx,
  row: PublisherRow,
  { by, at }: { by: EventActor; at: number },
): Promise<string> {
  const { id: publisherId, account_id: accountId, project_id: projectId, project_slug: slug, issuer } = row
  // In this order: an exchange that has locked the row is waited for, and its key ends too.
  await deletePublisher(tx, publisherId)
  await revokeKeysOfPublisher(tx, { accountId, publisherId })
  const name = pipelineName(issuer, readClaims(row))
  const data = { publisherId, name, slug, issuer }
  await recordEvent(tx, { accountId, type: 'publisher.removed', projectId, by, at, data })
  return name
}

/** Compared with tokens as it is, so it must be written like an issuer. */
function refuseIssuer(issuer: string, rules: TargetRules): void {
  try {
    const url = parseIssuerUrl(issuer, rules)
    if (url.search !== '') throw new TargetError('must not contain a ?')
    if (url.href !== issuer && url.href !== `${issuer}/`)
      throw new TargetError(`must be written as ${url.href}`)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw invalid('issuer', `The issuer ${error.message}.`, error.message)
  }
}

function invalid(path: string, detail: string, message: string): Problem {
  return new Problem('invalid_input', detail, { extra: { errors: [{ path, message }] } })
}
