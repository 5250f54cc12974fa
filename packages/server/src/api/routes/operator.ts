import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { toAccount } from '../../accounts/account.ts'
import { createAccount } from '../../accounts/account-lifecycle.ts'
import { operatorAsActor } from '../../accounts/actor.ts'
import { listAccounts } from '../../accounts/read.ts'
import { changePlanOf } from '../../domains/claims/change-plan.ts'
import { listCertificates } from '../../domains/operator-views.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { createKey } from '../../keys/manage-keys.ts'
import { listBans, readKeyOwner } from '../../keys/read.ts'
import { changeOperator } from '../../people/change-operator.ts'
import { confirmOperator } from '../../people/confirm-operator.ts'
import { inviteOwner, inviteOwnerIn } from '../../people/invitations.ts'
import { describeForOperator, listPeople } from '../../people/read.ts'
import { createPasswordReset } from '../../people/sign-in/password-reset.ts'
import { setTakedown, suspendAccount } from '../../projects/block-sites.ts'
import { describeSite, listSites, readAnyProject } from '../../projects/operator-sites.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { createHealth } from '../health/health.ts'
import { toCreatedInvitation, toPasswordReset } from './people.ts'

export function operatorRoutes(parts: ApiParts): Handlers<keyof (typeof endpointGroups)['Operator']> {
  const { context, limiter, addresses } = parts
  const describeHealth = createHealth(parts)
  return {
    createAccount: ({ actor, body }) =>
      context.database.write(async (tx) => {
        await confirmOperator(context.database, tx, actor)
        const by = operatorAsActor(actor)
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
        const { ownerEmail } = body
        const invited =
          ownerEmail === undefined
            ? null
            : await inviteOwnerIn(tx, actor, { accountId: account.id, email: ownerEmail, at })
        return {
          account: toAccount(account),
          key,
          invitation: invited && toCreatedInvitation(invited, addresses),
        }
      }),
    inviteOwner: async ({ actor, params, body: { email } }) => {
      const to = { accountId: params.account, email }
      return toCreatedInvitation(await inviteOwner(context, actor, to), addresses)
    },
    suspendAccount: async ({ actor, params, body }) => {
      const input = { accountId: params.account, reason: body.reason, by: operatorAsActor(actor) }
      return toAccount(await suspendAccount(context, input))
    },
    restoreAccount: async ({ actor, params }) => {
      const input = { accountId: params.account, reason: null, by: operatorAsActor(actor) }
      return toAccount(await suspendAccount(context, input))
    },
    listSites: ({ query: { takenDown, ...query } }) =>
      listSites(context, addresses, { ...query, takenDownOnly: takenDown === 'true' }),
    takeDownSite: async ({ actor, params, body }) => {
      const project = await readAnyProject(context, params.project)
      await setTakedown(context, { project, takedown: body, by: operatorAsActor(actor) })
      return describeSite(context, addresses, project)
    },
    restoreSite: async ({ actor, params }) => {
      const project = await readAnyProject(context, params.project)
      await setTakedown(context, { project, takedown: null, by: operatorAsActor(actor) })
      return describeSite(context, addresses, project)
    },
    listPeople: ({ query }) => listPeople(context, query),
    changeOperator: async ({ actor, params, body }) => {
      const input = { actor, personId: params.person, operator: body.operator }
      await changeOperator(context, input)
      return describeForOperator(context, params.person)
    },
    resetPasswordOf: async ({ actor, params }) => {
      const input = { personId: params.person, by: { operator: actor } }
      return toPasswordReset(await createPasswordReset(context, input), addresses)
    },
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
        const by = operatorAsActor(actor)
        return recordEvent(tx, { accountId, type: 'key.unbanned', by, at: context.now(), data })
      })
      return undefined
    },
    setAccountPlan: async ({ actor, params, body }) => {
      const { plan, limits } = body
      const change = { accountId: params.account, plan, limits, by: operatorAsActor(actor) }
      return toAccount(await changePlanOf(context, { ...change, suspendDomains: true, asOperator: true }))
    },
  }
}
