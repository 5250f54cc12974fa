import type { Endpoints } from './endpoint.ts'

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
