/** What a webhook is told about an event: the body of the request, as JSON. */
export interface WebhookPayload {
  type: string
  timestamp: string
  data: {
    accountId: string
    projectId: string | null
    actor: { kind: string; id: string | null; name: string }
    [detail: string]: unknown
  }
}

interface ToldEvent {
  type: string
  at: string
  data: Record<string, unknown>
  projectId: string | null
  actor: WebhookPayload['data']['actor']
}

export function webhookPayload(
  { type, at, data, projectId, actor }: ToldEvent,
  accountId: string,
): WebhookPayload {
  return { type, timestamp: at, data: { ...data, accountId, projectId, actor } }
}
