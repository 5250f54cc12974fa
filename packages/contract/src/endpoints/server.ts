import type { Endpoints } from './endpoint.ts'

export const server = {
  getServer: {
    route: 'GET /v1/server',
    access: 'public',
    summary: 'What this server is and how people join it',
  },
  setUp: {
    route: 'POST /v1/setup',
    access: 'public',
    summary: 'Make the first person, owner and operator, with the link that the server printed',
    status: 201,
    problems: ['link_invalid'],
  },
  getWhoami: { route: 'GET /v1/whoami', access: 'any', summary: 'Who this key or session is' },
} as const satisfies Endpoints
