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

export const people = {
  listMembers: { route: 'GET /v1/members', access: 'read', summary: 'Who belongs to the account' },
  changeMember: {
    route: 'PATCH /v1/members/{person}',
    access: 'admin',
    summary: 'Give a person another role',
    problems: ['last_owner'],
  },
  removeMember: {
    route: 'DELETE /v1/members/{person}',
    access: 'admin',
    summary: 'Remove a person from the account',
    problems: ['last_owner'],
  },
  createPasswordReset: {
    route: 'POST /v1/members/{person}/password-reset',
    access: 'admin',
    peopleOnly: true,
    summary: 'Create a link by which a member of this account alone sets a new password',
    status: 201,
    problems: ['not_found', 'reset_not_allowed'],
  },
  listInvitations: { route: 'GET /v1/invitations', access: 'admin', summary: 'Invitations that are open' },
  createInvitation: {
    route: 'POST /v1/invitations',
    access: 'admin',
    summary: 'Invite a person; the answer holds the link to send',
    status: 201,
    problems: ['already_member'],
  },
  revokeInvitation: {
    route: 'DELETE /v1/invitations/{invitation}',
    access: 'admin',
    summary: 'Take an invitation back',
    status: 204,
  },
  lookUpInvitation: {
    route: 'POST /v1/invitations/lookup',
    access: 'public',
    summary: 'What an invitation is for',
    problems: ['link_invalid'],
  },
  acceptInvitation: {
    route: 'POST /v1/invitations/accept',
    access: 'public',
    summary: 'Join the account',
    status: 201,
    problems: ['link_invalid', 'email_taken'],
  },
} as const satisfies Endpoints

export const keys = {
  listKeys: { route: 'GET /v1/keys', access: 'admin', summary: 'API keys of the account' },
  createKey: {
    route: 'POST /v1/keys',
    access: 'admin',
    summary: 'Create a key; its secret is shown this once',
    status: 201,
  },
  revokeKey: {
    route: 'DELETE /v1/keys/{key}',
    access: 'admin',
    summary: 'Revoke a key at once',
    status: 204,
  },
} as const satisfies Endpoints
