import type { Endpoints } from './endpoint.ts'

export const commandLine = {
  startLogin: {
    route: 'POST /v1/logins',
    access: 'public',
    summary: 'Ask for a key; a person approves it in the browser',
    status: 201,
    problems: ['too_many_attempts'],
  },
  claimLogin: {
    route: 'POST /v1/logins/claim',
    access: 'public',
    summary: 'Collect the key once it is approved',
    problems: ['link_invalid'],
  },
  getLogin: { route: 'GET /v1/logins/{code}', access: 'session', summary: 'What asks for a key' },
  approveLogin: {
    route: 'POST /v1/logins/{code}/approve',
    access: 'session',
    summary: 'Give it a key with your scopes',
    inAccount: true,
    status: 204,
  },
  denyLogin: { route: 'POST /v1/logins/{code}/deny', access: 'session', summary: 'Refuse it', status: 204 },
} as const satisfies Endpoints
