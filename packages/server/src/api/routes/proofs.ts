import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor } from '../../accounts/actor.ts'
import type { AskedChecks } from '../../domains/checks/asked-checks.ts'
import { listProofs, readProof } from '../../domains/proofs/read-proof.ts'
import { removeProof } from '../../domains/proofs/remove-proof.ts'
import { startProof } from '../../domains/proofs/start-proof.ts'
import { verifyProof } from '../../domains/proofs/verify-proof.ts'
import { pauseBetweenChecks } from '../../domains/schedule.ts'
import { pausingSingleFlight } from '../../kernel/single-flight.ts'
import type { ApiParts, Handlers } from '../handler.ts'

export function proofRoutes(
  { context }: ApiParts,
  asked: AskedChecks,
): Handlers<keyof (typeof endpointGroups)['Proofs']> {
  const verify = pausingSingleFlight(
    (_key: string, input: Parameters<typeof verifyProof>[1]) =>
      asked.run(input.accountId, () => verifyProof(context, input)),
    pauseBetweenChecks,
  )

  return {
    listProofs: ({ actor, query }) => listProofs(context, actor.account.id, query),
    startProof: ({ actor, body }) =>
      startProof(context, { accountId: actor.account.id, by: eventActor(actor), domain: body.domain }),
    verifyProof: async ({ actor, params }) => {
      const accountId = actor.account.id
      const { domain } = await readProof(context, accountId, params.domain)
      return verify(`${accountId} ${domain}`, { accountId, by: eventActor(actor), domain })
    },
    removeProof: async ({ actor, params }) => {
      const by = eventActor(actor)
      await removeProof(context, { accountId: actor.account.id, by, domain: params.domain })
      return undefined
    },
  }
}
