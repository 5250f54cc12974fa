import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor, responsibleFor } from '../../accounts/actor.ts'
import { createKey, refuseLongerLife, refuseWiderScopes } from '../../keys/create-key.ts'
import { listKeys } from '../../keys/list-keys.ts'
import { revokeKey } from '../../keys/revoke-key.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'

export function keyRoutes({ context }: ApiParts): Handlers<keyof (typeof endpointGroups)['Keys']> {
  return {
    listKeys: ({ actor, query }) => listKeys(context, actor.account.id, query),
    createKey: ({ actor, body }) => {
      refuseWiderScopes(body.scopes, actor.scopes)
      const expiresAt = body.expiresAt === null ? null : Date.parse(body.expiresAt)
      refuseLongerLife(expiresAt, actor)
      const by = eventActor(actor)
      const accountId = actor.account.id
      const responsibleId = responsibleFor(actor)
      const { name, scopes } = body
      return context.database.write((tx) =>
        createKey(tx, { accountId, responsibleId, name, scopes, expiresAt, by, at: context.now() }),
      )
    },
    revokeKey: async ({ actor, params }) => {
      await revokeKey(context, { accountId: actor.account.id, keyId: params.key, by: eventActor(actor) })
      return undefined
    },
  }
}
