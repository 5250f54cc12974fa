import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { isoTime } from '../../clock.ts'
import { approveLogin, claimLogin, denyLogin, readLogin, startLogin } from '../../keys/login.ts'
import type { ApiParts } from '../api-parts.ts'
import type { Handlers } from '../call.ts'

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
    claimLogin: ({ body }) => claimLogin(context, body.secret),
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
