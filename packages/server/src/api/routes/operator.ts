import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { toAccount } from '../../accounts/account.ts'
import { eventActor } from '../../accounts/actor.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { listAccounts } from '../../accounts/list-accounts.ts'
import { changePlanOf } from '../../domains/change-plan.ts'
import { listCertificates } from '../../domains/list-certificates.ts'
import { recordEvent } from '../../events/record-event.ts'
import { createKey } from '../../keys/create-key.ts'
import { listBans } from '../../keys/list-bans.ts'
import { readKeyOwner } from '../../keys/read.ts'
import { Problem } from '../../problem.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'
import { createHealth } from '../health/health.ts'

export function operatorRoutes(parts: ApiParts): Handlers<keyof (typeof endpointGroups)['Operator']> {
  const { context, limiter } = parts
  const describeHealth = createHealth(parts)
  return {
    createAccount: ({ actor, body }) =>
      context.database.write(async (tx) => {
        const by = eventActor(actor)
        const at = context.now()
        const account = await createAccount(tx, { ...body, by, at })
        const name = 'First key'
        const key = await createKey(tx, {
          accountId: account.id,
          name,
          scopes: scopeNames,
          expiresAt: null,
          by,
          at,
        })
        return { account: toAccount(account), key }
      }),
    listAccounts: async ({ query }) => {
      await limiter.flush()
      return listAccounts(context, query)
    },
    listBans: ({ query }) => listBans(context, limiter, query),
    listCertificates: ({ query: { failing, ...page } }) =>
      listCertificates(context, { ...page, failingOnly: failing === 'true' }),
    getHealth: () => describeHealth(),
    liftBan: async ({ actor, params }) => {
      const owner = await readKeyOwner(context, params.key)
      if (owner === null) throw new Problem('not_found', `There is no key ${params.key}.`)
      const { accountId, name } = owner
      if (!(await limiter.liftBan(accountId, params.key))) return undefined
      await context.database.write((tx) => {
        const data = { keyId: params.key, name }
        const by = eventActor(actor)
        return recordEvent(tx, { accountId, type: 'key.unbanned', by, at: context.now(), data })
      })
      return undefined
    },
    setAccountPlan: async ({ actor, params, body }) => {
      const { plan, limits } = body
      const change = { accountId: params.account, plan, limits, by: eventActor(actor) }
      return toAccount(await changePlanOf(context, { ...change, suspendDomains: true, asOperator: true }))
    },
  }
}
