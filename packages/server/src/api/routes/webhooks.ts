import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { type AccountActor, eventActor, refuseExpiringKey } from '../../accounts/actor.ts'
import { targetRules } from '../../outgoing/target.ts'
import { listDeliveries, resendDelivery, sendTest } from '../../webhooks/deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  rotateSecret,
} from '../../webhooks/manage-webhooks.ts'
import type { ApiParts, Handlers } from '../handler.ts'
import { refuseUnlessAllowed } from '../identity/access.ts'

export function webhookRoutes({
  context: { database, now },
  sealing,
  config,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Webhooks']> {
  const context = { database, now, sealing, rules: targetRules(config.platformDomain) }
  return {
    listWebhooks: ({ actor, query }) => listWebhooks(context, actor.account.id, query),
    createWebhook: ({ actor, body }) => {
      refuseChoosingAddress(actor)
      return createWebhook(context, actor, body)
    },
    getWebhook: ({ actor, params }) => readWebhook(context, actor.account.id, params.webhook),
    changeWebhook: ({ actor, params, body }) => {
      if (body.url !== undefined) refuseChoosingAddress(actor)
      return changeWebhook(context, actor, { webhookId: params.webhook, ...body })
    },
    removeWebhook: async ({ actor, params }) => {
      const by = eventActor(actor)
      await removeWebhook(context, { accountId: actor.account.id, webhookId: params.webhook, by })
      return undefined
    },
    rotateWebhookSecret: ({ actor, params }) =>
      rotateSecret(context, {
        accountId: actor.account.id,
        webhookId: params.webhook,
        by: eventActor(actor),
      }),
    testWebhook: ({ actor, params }) =>
      sendTest(context, { accountId: actor.account.id, webhookId: params.webhook, by: eventActor(actor) }),
    listDeliveries: ({ actor, params, query }) => {
      refuseUnlessReading(actor)
      return listDeliveries(context, { accountId: actor.account.id, webhookId: params.webhook }, query)
    },
    resendDelivery: ({ actor, params }) => {
      refuseUnlessReading(actor)
      return resendDelivery(context, {
        accountId: actor.account.id,
        webhookId: params.webhook,
        deliveryId: params.delivery,
      })
    },
  }
}

/** Who chooses the address chooses who gets the events. */
function refuseChoosingAddress(actor: AccountActor): void {
  refuseUnlessReading(actor)
  refuseExpiringKey(actor, 'have events sent')
}

/** Deliveries contain events, which need `read` everywhere else. */
function refuseUnlessReading(actor: AccountActor): void {
  refuseUnlessAllowed({ access: 'read' }, actor)
}
