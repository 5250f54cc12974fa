import type { Delivery, Webhook, WebhookUpdate } from '@masthead/contract/schemas/webhook.ts'
import type { WebhookFormat } from '@masthead/contract/webhooks/webhooks.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { usePaged } from './paged.ts'

export const webhooksKey = ['webhooks'] as const
const deliveriesKey = (webhook: Webhook['id']) => ['deliveries', webhook] as const

/** The stream does not tell how deliveries went. Somebody who looks at them waits for one. */
const refetchEvery = { webhooks: 15_000, deliveries: 3_000 }

export function useWebhooks() {
  const client = useClient()
  return usePaged<Webhook>(webhooksKey, (query) => client.listWebhooks({ query }), 50, {
    refetchEvery: refetchEvery.webhooks,
  })
}

export function useDeliveries(webhook: Webhook['id']) {
  const client = useClient()
  const page = (query: { limit: number; cursor: string | undefined }) =>
    client.listDeliveries({ params: { webhook }, query })
  return usePaged<Delivery>(deliveriesKey(webhook), page, 20, { refetchEvery: refetchEvery.deliveries })
}

interface NewWebhook {
  url: string
  events: Webhook['events']
  format: WebhookFormat
}

export function useCreateWebhook() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewWebhook) => client.createWebhook({ body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: webhooksKey }),
    // The response contains the secret: don't keep it in the cache.
    gcTime: 0,
  })
}

/** What can be done with one webhook. */
export function useWebhookActions(webhook: Webhook['id']) {
  const client = useClient()
  const queries = useQueryClient()
  const params = { webhook }
  const after = async <T>(done: T): Promise<T> => {
    await Promise.all(
      [webhooksKey, deliveriesKey(webhook)].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )
    return done
  }
  return {
    change: async (body: WebhookUpdate) => after(await client.changeWebhook({ params, body })),
    remove: async () => after(await client.removeWebhook({ params })),
    rotate: async () => after(await client.rotateWebhookSecret({ params })),
    test: async () => after(await client.testWebhook({ params })),
    resend: async (delivery: Delivery['id']) =>
      after(await client.resendDelivery({ params: { webhook, delivery } })),
  }
}
