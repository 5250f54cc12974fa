import type { Endpoints } from './endpoint.ts'

export const operator = {
  createAccount: {
    route: 'POST /v1/operator/accounts',
    access: 'operator',
    summary: 'Create an account and its first key',
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
