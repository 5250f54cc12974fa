import type { Endpoints } from './endpoint.ts'

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
