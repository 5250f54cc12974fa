import type { Endpoints } from './endpoint.ts'

export const operator = {
  createAccount: {
    route: 'POST /v1/operator/accounts',
    access: 'operator',
    summary: 'Create an account and its first key, and invite its owner',
    status: 201,
  },
  listAccounts: {
    route: 'GET /v1/operator/accounts',
    access: 'operator',
    summary: 'All accounts, newest first',
  },
  inviteOwner: {
    route: 'POST /v1/operator/accounts/{account}/invitations',
    access: 'operator',
    summary: 'Invite an owner to an account, for example if it has lost its only one',
    status: 201,
    problems: ['not_found', 'already_member'],
  },
  setAccountPlan: {
    route: 'PUT /v1/operator/accounts/{account}/plan',
    access: 'operator',
    summary: 'Set the plan and, for Enterprise, its custom limits',
  },
  suspendAccount: {
    route: 'PUT /v1/operator/accounts/{account}/suspension',
    access: 'operator',
    summary: 'Suspend an account: its API keys stop working and its sites show as unavailable',
    problems: ['not_found'],
  },
  restoreAccount: {
    route: 'DELETE /v1/operator/accounts/{account}/suspension',
    access: 'operator',
    summary: 'Restore a suspended account',
    problems: ['not_found'],
  },
  listSites: {
    route: 'GET /v1/operator/projects',
    access: 'operator',
    summary: 'Projects of all accounts, newest first; search by slug, domain or address',
  },
  takeDownSite: {
    route: 'PUT /v1/operator/projects/{project}/takedown',
    access: 'operator',
    summary: 'Take a site down: visitors get the status and the reason instead',
    problems: ['not_found'],
  },
  restoreSite: {
    route: 'DELETE /v1/operator/projects/{project}/takedown',
    access: 'operator',
    summary: 'Restore a site that was taken down',
    problems: ['not_found'],
  },
  listPeople: {
    route: 'GET /v1/operator/people',
    access: 'operator',
    summary: 'All people, newest first; search by part of the name or email address',
  },
  changeOperator: {
    route: 'PATCH /v1/operator/people/{person}',
    access: 'operator',
    summary: 'Make a person an operator of the server, or end that',
    problems: ['not_found', 'last_operator'],
  },
  resetPasswordOf: {
    route: 'POST /v1/operator/people/{person}/password-reset',
    access: 'operator',
    summary: 'Create a password reset link for a person',
    status: 201,
    problems: ['not_found'],
  },
  liftBan: {
    route: 'DELETE /v1/operator/keys/{key}/ban',
    access: 'operator',
    summary: 'Lift the ban on a key',
    status: 204,
  },
  listBans: {
    route: 'GET /v1/operator/bans',
    access: 'operator',
    summary: 'All banned keys, soonest to end first',
  },
  listCertificates: {
    route: 'GET /v1/operator/certificates',
    access: 'operator',
    summary: 'All certificates: failed attempts first, then the soonest to expire',
  },
  getHealth: {
    route: 'GET /v1/operator/health',
    access: 'operator',
    summary: 'Health of every part of the server, and counts of what it holds',
  },
} as const satisfies Endpoints
