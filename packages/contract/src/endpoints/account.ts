import type { Endpoints } from './endpoint.ts'

export const account = {
  getAccount: { route: 'GET /v1/account', access: 'read', summary: 'The account' },
  renameAccount: { route: 'PATCH /v1/account', access: 'admin', summary: 'Rename the account' },
  deleteAccount: {
    route: 'DELETE /v1/account',
    access: 'admin',
    peopleOnly: true,
    summary: 'Delete the account with its projects, domains and keys',
    problems: ['account_has_domains'],
    doneIf: ['wrong_account', 'no_account'],
  },
  changePlan: {
    route: 'PUT /v1/account/plan',
    access: 'admin',
    summary: 'Change the plan, if no external billing is connected',
    problems: ['billing_external', 'plan_agreed', 'domains_would_suspend'],
  },
  getUsage: {
    route: 'GET /v1/account/usage',
    access: 'read',
    summary: 'Requests used this minute and today, bans, and history',
  },
  listEvents: {
    route: 'GET /v1/events',
    access: 'read',
    summary: 'Account activity, newest first; filter by kind or project',
    problems: ['not_found'],
  },
  streamChanges: {
    route: 'GET /v1/stream',
    access: 'read',
    summary: 'Server-sent events that say when something in the account changed, but not what',
    answers: 'text/event-stream',
    problems: ['too_many_streams'],
  },
} as const satisfies Endpoints

export const people = {
  listMembers: { route: 'GET /v1/members', access: 'read', summary: 'Members of the account' },
  changeMember: {
    route: 'PATCH /v1/members/{person}',
    access: 'admin',
    summary: "Change a member's role",
    problems: ['last_owner'],
  },
  removeMember: {
    route: 'DELETE /v1/members/{person}',
    access: 'admin',
    summary: 'Remove a member from the account',
    problems: ['last_owner'],
    doneIf: ['unauthenticated', 'wrong_account', 'no_account'],
  },
  createPasswordReset: {
    route: 'POST /v1/members/{person}/password-reset',
    access: 'admin',
    peopleOnly: true,
    summary: 'Create a password reset link for a member who belongs to no other account',
    status: 201,
    problems: ['not_found', 'reset_not_allowed'],
  },
  listInvitations: { route: 'GET /v1/invitations', access: 'admin', summary: 'Open invitations' },
  createInvitation: {
    route: 'POST /v1/invitations',
    access: 'admin',
    summary: 'Invite a person; the response has the link to send',
    status: 201,
    problems: ['already_member'],
  },
  revokeInvitation: {
    route: 'DELETE /v1/invitations/{invitation}',
    access: 'admin',
    summary: 'Revoke an invitation',
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
    oneTime: true,
  },
} as const satisfies Endpoints

export const keys = {
  listKeys: { route: 'GET /v1/keys', access: 'admin', summary: 'API keys of the account' },
  createKey: {
    route: 'POST /v1/keys',
    access: 'admin',
    summary: 'Create a key; its secret is shown only once',
    status: 201,
    problems: ['not_found'],
  },
  revokeKey: {
    route: 'DELETE /v1/keys/{key}',
    access: 'admin',
    summary: 'Revoke a key immediately',
    status: 204,
    doneIf: ['unauthenticated'],
  },
} as const satisfies Endpoints

export const trustedPublishing = {
  listTrustedPublishers: {
    route: 'GET /v1/trusted-publishers',
    access: 'admin',
    summary: 'Pipelines that can deploy without a stored key',
  },
  addTrustedPublisher: {
    route: 'POST /v1/trusted-publishers',
    access: 'admin',
    summary: 'Trust the tokens of an OpenID Connect issuer that have these claims',
    status: 201,
    problems: ['not_found', 'trusted_publisher_limit_reached'],
  },
  removeTrustedPublisher: {
    route: 'DELETE /v1/trusted-publishers/{publisher}',
    access: 'admin',
    summary: 'Stop trusting a pipeline; its keys end immediately',
    status: 204,
  },
  exchangeToken: {
    route: 'POST /v1/token',
    access: 'public',
    summary: 'Exchange the token of a pipeline for a key that can deploy to one project for ten minutes',
    status: 201,
    problems: ['token_refused', 'issuer_unavailable'],
    oneTime: true,
  },
} as const satisfies Endpoints
