import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor } from '../../accounts/actor.ts'
import { confirmAccess } from '../../accounts/confirm-access.ts'
import { isoTime } from '../../kernel/clock.ts'
import { approveLogin, claimLogin, denyLogin, readLogin, startLogin } from '../../keys/login.ts'
import {
  createKey,
  listKeys,
  refuseLongerLife,
  refuseWiderScopes,
  revokeKey,
} from '../../keys/manage-keys.ts'
import { requireProject } from '../../projects/change-project.ts'
import { readProject } from '../../projects/read.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { runOneTime } from '../one-time-requests.ts'

export function keyRoutes({ context }: ApiParts): Handlers<keyof (typeof endpointGroups)['Keys']> {
  const { database, now } = context
  return {
    listKeys: ({ actor, query }) => listKeys(context, actor.account.id, query),
    createKey: async ({ actor, body }) => {
      refuseWiderScopes(body.scopes, actor.scopes)
      const expiresAt = body.expiresAt === null ? null : Date.parse(body.expiresAt)
      refuseLongerLife(expiresAt, actor)
      const by = eventActor(actor)
      const accountId = actor.account.id
      const { name, scopes } = body
      const named = body.project === null ? null : await readProject(context, accountId, body.project)
      return database.write(async (tx) => {
        const responsibleId = await confirmAccess(database, tx, actor, ['admin', ...scopes])
        const project = named && (await requireProject(database, tx, named))
        const at = now()
        return createKey(tx, { accountId, responsibleId, name, scopes, expiresAt, project, by, at })
      })
    },
    revokeKey: async ({ actor, params }) => {
      await revokeKey(context, { accountId: actor.account.id, keyId: params.key, by: eventActor(actor) })
      return undefined
    },
  }
}

const pollSeconds = 1

export function commandLineRoutes({
  context,
  addresses,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Command line']> {
  return {
    startLogin: async ({ body, request }) => {
      const started = await startLogin(context, { client: body.client, address: request.ip })
      return { ...started, url: `${addresses.dashboard}/cli#${started.code}`, pollSeconds }
    },
    claimLogin: (call) => runOneTime(context, call, (keep) => claimLogin(context, call.body.secret, keep)),
    getLogin: async ({ params }) => {
      const { code, client, address, created_at, expires_at } = await readLogin(context, params.code)
      return { code, client, address, createdAt: isoTime(created_at), expiresAt: isoTime(expires_at) }
    },
    approveLogin: async ({ actor, params }) => {
      await approveLogin(context, actor, params.code)
      return undefined
    },
    denyLogin: async ({ params }) => {
      await denyLogin(context, params.code)
      return undefined
    },
  }
}
