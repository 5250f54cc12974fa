import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { idSchema } from '@masthead/contract/ids.ts'
import { toAccount } from '../../accounts/account.ts'
import { eventActor } from '../../accounts/actor.ts'
import { renameAccount } from '../../accounts/change-account.ts'
import { changePlanOf } from '../../domains/change-plan.ts'
import { deleteAccount } from '../../domains/delete-account.ts'
import { listEvents } from '../../events/list-events.ts'
import { Problem } from '../../problem.ts'
import { readProject } from '../../projects/read.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'
import { describeUsage } from '../describe-usage.ts'
import { mayStillRead } from '../live/may-still-read.ts'

const projectIdSchema = idSchema('project')

export function accountRoutes({
  context,
  config,
  limiter,
  streams,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Account']> {
  return {
    getAccount: async ({ actor }) => toAccount(actor.account),
    renameAccount: async ({ actor, body }) => {
      const by = eventActor(actor)
      return toAccount(await renameAccount(context, { accountId: actor.account.id, name: body.name, by }))
    },
    deleteAccount: ({ actor, query: { name, removeDomains } }) => {
      if (actor.kind === 'key')
        throw new Problem('forbidden', 'This is for a signed-in owner, not for a key.')
      const { account } = actor
      const by = eventActor(actor)
      return deleteAccount(context, { account, name, removeDomains: removeDomains === 'true', by })
    },
    changePlan: async ({ actor, body }) => {
      if (config.billing === 'external') {
        throw new Problem('billing_external', 'Billing is connected: the operator changes plans.')
      }
      const by = eventActor(actor)
      return toAccount(await changePlanOf(context, { ...body, accountId: actor.account.id, by }))
    },
    getUsage: ({ actor }) => describeUsage(context, limiter, actor.account),
    listEvents: async ({ actor, query: { project, ...query } }) => {
      const accountId = actor.account.id
      if (project === undefined) return listEvents(context, accountId, query)
      const known = projectIdSchema.safeParse(project)
      // What happened to a project can be read when it is gone, by its id.
      const projectId = known.success ? known.data : (await readProject(context, accountId, project)).id
      return listEvents(context, accountId, { ...query, projectId })
    },
    streamChanges: async ({ actor, request, reply }) => {
      const secret = request.credential?.secret ?? ''
      reply.header('X-Accel-Buffering', 'no')
      return streams.open({
        accountId: actor.account.id,
        caller: actor.kind === 'key' ? actor.key.id : actor.session.tokenHash,
        isAllowed: () => mayStillRead(context, actor, secret),
      })
    },
  }
}
