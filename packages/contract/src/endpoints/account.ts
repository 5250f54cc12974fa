import type { Endpoints } from './endpoint.ts'

export const account = {
  getAccount: { route: 'GET /v1/account', access: 'read', summary: 'The account' },
  renameAccount: { route: 'PATCH /v1/account', access: 'admin', summary: 'Rename the account' },
  deleteAccount: {
    route: 'DELETE /v1/account',
    access: 'admin',
    summary: 'Delete the account with its projects, domains and keys; for an owner, not for a key',
    problems: ['account_has_domains'],
  },
  changePlan: {
    route: 'PUT /v1/account/plan',
    access: 'admin',
    summary: 'Change the plan, where no billing is connected',
    problems: ['billing_external', 'plan_agreed', 'domains_would_suspend'],
  },
  getUsage: {
    route: 'GET /v1/account/usage',
    access: 'read',
    summary: 'Requests used of the minute and the day, bans, and the history',
  },
  listEvents: {
    route: 'GET /v1/events',
    access: 'read',
    summary: 'What happened, newest first; of one kind or one project where asked',
    problems: ['not_found'],
  },
  streamChanges: {
    route: 'GET /v1/stream',
    access: 'read',
    summary: 'Server-sent events: that something of the account changed, never what',
    answers: 'text/event-stream',
    problems: ['too_many_streams'],
  },
} as const satisfies Endpoints
