import type { AcmeClient } from '../acme/acme-client.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import type { ExternalAccount } from '../acme/signed-request.ts'
import { createAccountKeeper } from '../acme-account/registration.ts'
import type { Authority } from '../authorities/authorities.ts'
import { closeOrder } from '../authorities/budget.ts'
import { createCaIdentities } from '../authorities/ca-identities.ts'
import type { CaaLookUp } from '../caa/caa.ts'
import type { IssuingContext } from '../context.ts'
import { failureFromProblem } from '../jobs/failure.ts'
import type { Issuer } from '../jobs/issuer.ts'
import { AcmeAttempt } from './acme-attempt.ts'
import type { Delegations } from './delegations.ts'
import { createLostOrders } from './lost-orders.ts'
import type { OrderContext } from './order-in-progress.ts'

export interface AcmeIssuerOptions {
  authority: Authority
  client: AcmeClient
  caaLookUp: CaaLookUp
  delegations?: Delegations | null
  contact?: string
  externalAccount?: ExternalAccount
  preferredIssuer?: string | null
}

const keyProblemKinds: ReadonlySet<AcmeProblemKind> = new Set([
  'malformed',
  'account_refused',
  'account_missing',
  'already_replaced',
])

export function createAcmeIssuer(
  context: IssuingContext,
  {
    authority,
    client,
    caaLookUp,
    delegations = null,
    preferredIssuer = null,
    ...registration
  }: AcmeIssuerOptions,
): Issuer {
  const { directoryUrl, title } = authority
  const accounts = createAccountKeeper(context, client, directoryUrl, registration)
  const identities = createCaIdentities(authority, client, context)
  const lostOrders = createLostOrders(client, context.now)
  const orderContext: OrderContext = {
    ...context,
    authority,
    client,
    identities,
    caaLookUp,
    lostOrders,
    delegations,
    preferredIssuer,
  }
  return {
    kind: 'acme',
    id: directoryUrl,
    title,
    async attempt(job, progress, stopping) {
      try {
        const account = await accounts.account()
        try {
          return await new AcmeAttempt(orderContext, job, account).run(progress, stopping)
        } catch (error) {
          if (!(error instanceof AcmeProblem)) throw error
          // After a key change CAs reject our old signature in one of these ways: retry with the new key.
          const mayBeOldKey = keyProblemKinds.has(error.kind)
          if (mayBeOldKey && (await accounts.hasOtherKey(account)))
            return { kind: 'later', at: context.now() }
          if (error.kind === 'account_missing') await accounts.forget(account)
          throw error
        }
      } catch (error) {
        if (error instanceof AcmeProblem) return { kind: 'failed', failure: failureFromProblem(error, title) }
        throw error
      }
    },
    closeOrder: (tx, name, outcome) => closeOrder(context, tx, authority, name, outcome),
    readRenewalInfo: (id) => client.readRenewalInfo(id),
    caIdentities: identities.known,
  }
}
