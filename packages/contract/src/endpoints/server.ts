import type { Endpoints } from './endpoint.ts'

export const server = {
  getServer: {
    route: 'GET /v1/server',
    access: 'public',
    summary: 'About this server, and how people join it',
  },
  getCaRoot: {
    route: 'GET /v1/ca.pem',
    access: 'public',
    summary: 'The root certificate to trust, if this server is its own certificate authority',
    answers: 'application/x-pem-file',
    problems: ['not_found'],
  },
  setUp: {
    route: 'POST /v1/setup',
    access: 'public',
    summary: 'Create the first person, owner and operator, with the link printed by the server',
    status: 201,
    problems: ['link_invalid'],
    oneTime: true,
  },
  getWhoami: { route: 'GET /v1/whoami', access: 'any', summary: 'Who this key or session belongs to' },
} as const satisfies Endpoints

export const lab = {
  listLabRecords: {
    route: 'GET /v1/lab/records',
    access: 'read',
    summary: "The records of the lab's DNS, by name",
    problems: ['lab_off'],
  },
  setLabRecord: {
    route: 'PUT /v1/lab/records/{name}/{type}',
    access: 'domains',
    summary: "Set a record in the lab's DNS",
    problems: ['lab_off', 'lab_record_invalid'],
  },
  removeLabRecord: {
    route: 'DELETE /v1/lab/records/{name}/{type}',
    access: 'domains',
    summary: "Remove a record from the lab's DNS",
    status: 204,
    problems: ['lab_off'],
  },
} as const satisfies Endpoints
