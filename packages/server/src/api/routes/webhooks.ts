import type { endpointGroups } from '@masthead/contract/endpoints.ts'
import { eventActor, responsibleFor } from '../../accounts/actor.ts'
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

export function webhookRoutes({
  context: { database, now },
  sealing,
  config,
}: ApiParts): Handlers<keyof (typeof endpointGroups)['Webhooks']> {
  const context = { database, now, sealing, rules: targetRules(config.platformDomain) }
  return {
    listWebhooks: ({ actor, query }) => listWebhooks(context, actor.account.id, query),
    createWebhook: ({ actor, body }) =>
      createWebhook(context, {
        accountId: actor.account.id,
        by: eventActor(actor),
        responsibleId: responsibleFor(actor),
        ...body,
      }),
    getWebhook: ({ actor, params }) => readWebhook(context, actor.account.id, params.webhook),
    changeWebhook: ({ actor, params, body }) =>
      changeWebhook(context, {
        accountId: actor.account.id,
        webhookId: params.webhook,
        by: eventActor(actor),
        responsibleId: responsibleFor(actor),
        ...body,
      }),
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
    listDeliveries: ({ actor, params, query }) =>
      listDeliveries(context, { accountId: actor.account.id, webhookId: params.webhook }, query),
    resendDelivery: ({ actor, params }) =>
      resendDelivery(context, {
        accountId: actor.account.id,
        webhookId: params.webhook,
        deliveryId: params.delivery,
      }),
  }
}
