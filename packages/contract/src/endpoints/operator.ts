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
  setAccountPlan: {
    route: 'PUT /v1/operator/accounts/{account}/plan',
    access: 'operator',
    summary: 'Set the plan and, for Enterprise, what was agreed',
  },
  suspendAccount: {
    route: 'PUT /v1/operator/accounts/{account}/suspension',
    access: 'operator',
    summary: 'Suspend an account: its API keys are refused and its sites show that they are unavailable',
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
    summary: 'Projects of all accounts, newest first; found by slug, domain or address',
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
    summary: 'Show a site again that was taken down',
    problems: ['not_found'],
  },
  listPeople: {
    route: 'GET /v1/operator/people',
    access: 'operator',
    summary: 'All people, newest first; found by a part of the name or the email address',
  },
  resetPasswordOf: {
    route: 'POST /v1/operator/people/{person}/password-reset',
    access: 'operator',
    summary: 'Create a link by which a person sets a new password',
    status: 201,
    problems: ['not_found'],
  },
  liftBan: {
    route: 'DELETE /v1/operator/keys/{key}/ban',
    access: 'operator',
    summary: 'Lift the ban of a key',
    status: 204,
  },
  listBans: {
    route: 'GET /v1/operator/bans',
    access: 'operator',
    summary: 'All keys that are banned now, soonest to end first',
  },
  listCertificates: {
    route: 'GET /v1/operator/certificates',
    access: 'operator',
    summary: 'All certificates, those with a failed attempt first, then the soonest to expire',
  },
  getHealth: {
    route: 'GET /v1/operator/health',
    access: 'operator',
    summary: 'Whether every part of the server does its work, and how much there is of everything',
  },
} as const satisfies Endpoints
