import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor } from '../../accounts/actor.ts'
import { listProofs, removeProof, startProof, verifyProof } from '../../domains/proofs/manage-proofs.ts'
import type { ApiParts, Handlers } from '../handler.ts'

export function proofRoutes({ context }: ApiParts): Handlers<keyof (typeof endpointGroups)['Proofs']> {
  return {
    listProofs: ({ actor, query }) => listProofs(context, actor.account.id, query),
    startProof: ({ actor, body }) =>
      startProof(context, { accountId: actor.account.id, by: eventActor(actor), domain: body.domain }),
    verifyProof: ({ actor, params }) =>
      verifyProof(context, { accountId: actor.account.id, by: eventActor(actor), domain: params.domain }),
    removeProof: async ({ actor, params }) => {
      const by = eventActor(actor)
      await removeProof(context, { accountId: actor.account.id, by, domain: params.domain })
      return undefined
    },
  }
}
