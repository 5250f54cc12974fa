import type { ExchangedKey } from '@masthead/contract/schemas/key.ts'
import { trustLimits } from '@masthead/contract/trust/trusted-publishers.ts'
import type { JWTPayload } from 'jose'
import type { Context, KeepResult } from '../database/database.ts'
import { recordEvent, system } from '../events/record-event.ts'
import { isoTime, minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { hashSecret } from '../kernel/tokens.ts'
import { forgetPipelineKeys, issueKey } from '../keys/manage-keys.ts'
import { IssuerError, type IssuerKeys } from './issuers/issuer-keys.ts'
import { pipelineScopes } from './manage-publishers.ts'
import {
  branchOf,
  differingClaims,
  namesSource,
  pipelineName,
  previewBranchOf,
  readClaims,
  shown,
} from './publisher.ts'
import type { Refusals } from './refusals.ts'
import {
  deleteTokensBefore,
  insertExchangedToken,
  markUsed,
  type PublisherRow,
  publishersOfProject,
} from './store.ts'
import { isUnknownKey, readIssuer, TokenError, type VerifiedToken, verifyToken } from './verify-token.ts'

export interface ExchangeParts {
  context: Context
  audience: string
  issuerKeys: IssuerKeys
  refusals: Refusals
  log: { info(details: object, message: string): void }
}

/** Strangers may call this: an issuer is asked only if a project trusts it, and each refusal has its reason. */
export async function exchangeToken(
  parts: ExchangeParts,
  { token, project }: { token: string; project: string },
  keep: KeepResult<ExchangedKey>,
): Promise<ExchangedKey> {
  const trusted = await publishersOfProject(parts.context.database.read, project)
  let issuer: string | undefined
  try {
    issuer = readIssuer(token)
    const candidates = trusted.filter((publisher) => publisher.issuer === issuer)
    const [first] = candidates
    if (first === undefined) {
      throw new TokenError('issuer', `No trusted publisher of ${project} has the issuer ${shown(issuer)}.`)
    }
    const verified = await verify(parts, token, first)
    return await issue(parts, chooseByClaims(candidates, verified.payload), verified, keep)
  } catch (error) {
    const isRefusal = error instanceof TokenError
    if (!isRefusal && !(error instanceof IssuerError)) throw error
    const reason = isRefusal ? error.fault : 'issuer_unavailable'
    const detail = isRefusal
      ? error.message
      : `The issuer ${shown(issuer)} cannot be asked: ${error.message}.`
    parts.log.info({ project, issuer: shown(issuer), reason, detail }, 'refused the token of a pipeline')
    const [owner] = trusted
    if (owner !== undefined) {
      const { account_id: accountId, project_id: projectId, project_slug: slug } = owner
      const data = { slug, reason, detail, ...(issuer !== undefined && { issuer: shown(issuer) }) }
      await parts.refusals.record({ accountId, projectId, data })
    }
    throw isRefusal
      ? new Problem('token_refused', detail, { extra: { reason } })
      : new Problem('issuer_unavailable', detail)
  }
}

/** With the keys that we know, or if the token names another one, with those that the issuer has now. */
async function verify(
  { context, audience, issuerKeys }: ExchangeParts,
  token: string,
  { issuer, account_id: caller }: PublisherRow,
): Promise<VerifiedToken> {
  const expected = { issuer, audience, now: context.now() }
  try {
    return await verifyToken(token, await issuerKeys.get(issuer, caller), expected)
  } catch (error) {
    const renewed = isUnknownKey(error) ? await issuerKeys.renewed(issuer, caller) : null
    if (renewed === null) throw error
    return verifyToken(token, renewed, expected)
  }
}

/** Names only what the token itself says: a stranger must not learn what is trusted. */
function chooseByClaims(candidates: readonly PublisherRow[], payload: JWTPayload): PublisherRow {
  const compared = candidates.map((publisher) => ({
    publisher,
    differing: differingClaims(readClaims(publisher), payload),
  }))
  const matching = compared.filter(({ differing }) => differing.length === 0)
  const [match] = matching.toSorted((a, b) => rankOf(b.publisher) - rankOf(a.publisher))
  if (match !== undefined) return match.publisher
  const [closest] = compared.toSorted((a, b) => a.differing.length - b.differing.length)
  const found = (closest?.differing ?? []).map((name) =>
    Object.hasOwn(payload, name) ? `${name} ${shown(payload[name])}` : `no ${name}`,
  )
  throw new TokenError('claims', `The token has ${found.join(' and ')}, which no trusted publisher expects.`)
}

/** Of several that match, the one that names the branch lets its pipeline go live. */
function rankOf(publisher: PublisherRow): number {
  return namesSource(readClaims(publisher)) ? 1 : 0
}

async function issue(
  { context: { database, now } }: ExchangeParts,
  publisher: PublisherRow,
  { id, expiresAt, payload }: VerifiedToken,
  keep: KeepResult<ExchangedKey>,
): Promise<ExchangedKey> {
  const {
    id: publisherId,
    account_id: accountId,
    project_id: projectId,
    project_slug: slug,
    issuer,
  } = publisher
  return database.write(async (tx) => {
    const at = now()
    if (!(await markUsed(tx, publisherId, at))) {
      throw new TokenError('issuer', 'The pipeline is not trusted any more.')
    }
    // Once for each project: a job may deploy to several.
    if (!(await insertExchangedToken(tx, { id: hashSecret(`${id}\n${projectId}`), expires_at: expiresAt }))) {
      throw new TokenError(
        'replayed',
        'The token was already exchanged for a key of this project. Request a new one.',
      )
    }
    const claims = readClaims(publisher)
    const name = pipelineName(issuer, claims)
    const key = await issueKey(tx, {
      accountId,
      name,
      scopes: pipelineScopes,
      expiresAt: at + trustLimits.keyMinutes * minute,
      project: { id: projectId, slug },
      publisherId,
      liveBranch: namesSource(claims) ? null : branchOf(payload),
      previewBranch: previewBranchOf(payload),
      by: system,
      at,
    })
    await recordEvent(tx, {
      accountId,
      type: 'publisher.used',
      projectId,
      by: { kind: 'key', id: key.id, name },
      at,
      data: { publisherId, keyId: key.id, name, slug, issuer },
    })
    const exchanged = { secret: key.secret, expiresAt: key.expiresAt ?? isoTime(at) }
    await keep(tx, exchanged)
    return exchanged
  })
}

/** Deletes what expired tokens and their keys left. */
export async function forgetExchanges(context: Context): Promise<void> {
  const { database, now } = context
  await database.write((tx) => deleteTokensBefore(tx, now()))
  await forgetPipelineKeys(context)
}
