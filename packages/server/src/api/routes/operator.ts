import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { toAccount } from '../../accounts/account.ts'
import { eventActor } from '../../accounts/actor.ts'
import { changePlan } from '../../accounts/change-account.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { listAccounts } from '../../accounts/read.ts'
import { createKey } from '../../keys/create-key.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'

export function operatorRoutes({ context }: ApiParts): Handlers<keyof (typeof endpointGroups)['Operator']> {
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
    listAccounts: ({ query }) => listAccounts(context, query),
    setAccountPlan: async ({ actor, params, body }) => {
      const { plan, limits } = body
      return toAccount(
        await changePlan(context, { accountId: params.account, plan, limits, by: eventActor(actor) }),
      )
    },
  }
}
