import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { second } from '../../kernel/clock.ts'
import { targetRules } from '../../outgoing/target.ts'
import { exchangeToken } from '../../trusted-publishers/exchange-token.ts'
import { IssuerKeys } from '../../trusted-publishers/issuers/issuer-keys.ts'
import { addPublisher, listPublishers, removePublisher } from '../../trusted-publishers/manage-publishers.ts'
import { Refusals } from '../../trusted-publishers/refusals.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { runOneTime } from '../one-time-requests.ts'

const timeouts = { resolve: 4 * second, connect: 3 * second }

export function trustedPublisherRoutes({
  context: { database, now },
  addresses,
  publicDns,
  config,
  log,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Trusted publishing']> {
  const rules = targetRules(config.platformDomain)
  const audience = addresses.dashboard
  const context = { database, now, rules, audience }
  const issuerKeys = new IssuerKeys({ dns: publicDns, rules, timeouts }, now)
  const exchange = { context, audience, issuerKeys, refusals: new Refusals(context), log }
  return {
    listTrustedPublishers: ({ actor, query }) => listPublishers(context, actor.account.id, query),
    addTrustedPublisher: ({ actor, body }) => addPublisher(context, actor, body),
    removeTrustedPublisher: async ({ actor, params }) => {
      await removePublisher(context, actor, params.publisher)
      return undefined
    },
    exchangeToken: (call) => runOneTime(context, call, (keep) => exchangeToken(exchange, call.body, keep)),
  }
}
