import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { toAccount } from '../../accounts/account.ts'
import { eventActor } from '../../accounts/actor.ts'
import { renameAccount } from '../../accounts/change-account.ts'
import { changePlanOf } from '../../domains/change-plan.ts'
import { listEvents } from '../../events/list-events.ts'
import { Problem } from '../../problem.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'
import { describeUsage } from '../describe-usage.ts'

export function accountRoutes({
  context,
  config,
  limiter,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Account']> {
  return {
    getAccount: async ({ actor }) => toAccount(actor.account),
    renameAccount: async ({ actor, body }) => {
      const by = eventActor(actor)
      return toAccount(await renameAccount(context, { accountId: actor.account.id, name: body.name, by }))
    },
    changePlan: async ({ actor, body }) => {
      if (config.billing === 'external') {
        throw new Problem('billing_external', 'Billing is connected: the operator changes plans.')
      }
      const by = eventActor(actor)
      return toAccount(await changePlanOf(context, { ...body, accountId: actor.account.id, by }))
    },
    getUsage: ({ actor }) => describeUsage(context, limiter, actor.account),
    listEvents: ({ actor, query }) => listEvents(context, actor.account.id, query),
  }
}
