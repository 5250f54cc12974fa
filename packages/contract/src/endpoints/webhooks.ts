import type { Endpoints } from './endpoint.ts'

export const webhooks = {
  listWebhooks: { route: 'GET /v1/webhooks', access: 'admin', summary: 'Webhooks of the account' },
  createWebhook: {
    route: 'POST /v1/webhooks',
    access: 'admin',
    summary: 'Create a webhook; its signing secret is shown only once',
    status: 201,
    problems: ['webhook_limit_reached'],
  },
  getWebhook: {
    route: 'GET /v1/webhooks/{webhook}',
    access: 'admin',
    summary: 'One webhook',
    problems: ['not_found'],
  },
  changeWebhook: {
    route: 'PATCH /v1/webhooks/{webhook}',
    access: 'admin',
    summary: 'Change the address, the events or the format, pause or enable',
    problems: ['not_found'],
  },
  removeWebhook: {
    route: 'DELETE /v1/webhooks/{webhook}',
    access: 'admin',
    summary: 'Remove a webhook; events that were not sent yet are dropped',
    status: 204,
    problems: ['not_found'],
  },
  rotateWebhookSecret: {
    route: 'POST /v1/webhooks/{webhook}/rotate',
    access: 'admin',
    summary: 'Create a new signing secret; the previous one also signs for 24 hours',
    problems: ['not_found'],
  },
  testWebhook: {
    route: 'POST /v1/webhooks/{webhook}/test',
    access: 'admin',
    summary: 'Send a test',
    status: 202,
    problems: ['not_found', 'webhook_disabled'],
  },
  listDeliveries: {
    route: 'GET /v1/webhooks/{webhook}/deliveries',
    access: 'admin',
    summary: 'The latest deliveries with request, answers and times, newest first',
    problems: ['not_found'],
  },
  resendDelivery: {
    route: 'POST /v1/webhooks/{webhook}/deliveries/{delivery}/resend',
    access: 'admin',
    summary: 'Send an event again',
    status: 202,
    problems: ['not_found', 'webhook_disabled'],
  },
} as const satisfies Endpoints
