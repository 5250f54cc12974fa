import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { idSchema } from '@masthead/contract/schemas/fields.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { type AccountRow, limitsOf, toAccount } from '../../accounts/account.ts'
import { eventActor } from '../../accounts/actor.ts'
import { renameAccount } from '../../accounts/change-account.ts'
import type { Context } from '../../database/database.ts'
import { describeStorage } from '../../deployments/upload/storage-quota.ts'
import { changePlanOf } from '../../domains/claims/change-plan.ts'
import { deleteAccount } from '../../domains/claims/delete-account.ts'
import { listEvents } from '../../events/list-events.ts'
import { isoTime, second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { readKeyNames } from '../../keys/read.ts'
import { nextBanLength } from '../../limits/ban.ts'
import type { Count } from '../../limits/history.ts'
import type { Limiter } from '../../limits/limiter.ts'
import type { WindowView } from '../../limits/verdict.ts'
import { readProject } from '../../projects/read.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { isStillAuthorized } from '../identity/authenticate.ts'

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
      const { account } = actor
      const by = eventActor(actor)
      return deleteAccount(context, { account, name, removeDomains: removeDomains === 'true', by })
    },
    changePlan: async ({ actor, body }) => {
      if (config.billing === 'external') {
        throw new Problem('billing_external', 'The operator of this server manages plans.')
      }
      const by = eventActor(actor)
      return toAccount(await changePlanOf(context, { ...body, accountId: actor.account.id, by }))
    },
    getUsage: ({ actor }) => describeUsage(context, limiter, actor.account),
    listEvents: async ({ actor, query: { project, ...query } }) => {
      const accountId = actor.account.id
      if (project === undefined) return listEvents(context, accountId, query)
      const known = projectIdSchema.safeParse(project)
      // The activity of a deleted project can be read by its id.
      const projectId = known.success ? known.data : (await readProject(context, accountId, project)).id
      return listEvents(context, accountId, { ...query, projectId })
    },
    streamChanges: async ({ actor, request, reply }) => {
      const secret = request.credential?.secret ?? ''
      reply.header('X-Accel-Buffering', 'no')
      return streams.open({
        accountId: actor.account.id,
        caller: actor.kind === 'key' ? actor.key.id : actor.session.tokenHash,
        isAllowed: () => isStillAuthorized(context, actor, secret),
      })
    },
  }
}

async function describeUsage(context: Context, limiter: Limiter, account: AccountRow): Promise<Usage> {
  const { minute, day, history } = await limiter.usage(account.id, limitsOf(account))
  const names = await readKeyNames(context, account.id)
  const bans = await limiter.bans(account.id, [...names.keys()])
  const today = await limiter.requestsOfKeys([...names.keys()])
  if (day === null) throw new Error('Every account has a limit per day')
  return {
    minute: toQuota(minute),
    day: toQuota(day),
    storage: await describeStorage(context.database.read, account.id),
    bans: Array.from(names).flatMap(([keyId, keyName]) => {
      const ban = bans.get(keyId)
      if (ban === undefined) return []
      const { since, until, violations, step } = ban
      const nextBanSeconds = nextBanLength(step) / second
      return [{ keyId, keyName, since: isoTime(since), until: isoTime(until), violations, nextBanSeconds }]
    }),
    keys: Array.from(names).flatMap(([keyId, keyName]) => {
      const requests = today.get(keyId)
      return requests === undefined ? [] : [{ keyId, keyName, requests }]
    }),
    history: { minutes: history.minutes.map(toCount), days: history.days.map(toCount) },
  }
}

function toQuota({ limit, used, remaining, resetAt }: WindowView): Usage['minute'] {
  return { limit, used, remaining, resetAt: isoTime(resetAt) }
}

function toCount({ start, requests, rejected }: Count): Usage['history']['days'][number] {
  return { start: isoTime(start), requests, rejected }
}
