import type { Endpoints } from './endpoint.ts'

export const proofs = {
  listProofs: {
    route: 'GET /v1/proofs',
    access: 'read',
    summary: 'Whole domains that the account has proved or wants to prove',
  },
  startProof: {
    route: 'POST /v1/proofs',
    access: 'domains',
    summary: 'Prove a whole domain; the response shows the TXT record to set',
    status: 201,
    problems: ['plan_required', 'hostname_invalid', 'proof_limit_reached'],
  },
  verifyProof: {
    route: 'POST /v1/proofs/{domain}/verify',
    access: 'domains',
    summary: 'Look for the TXT record now',
  },
  removeProof: {
    route: 'DELETE /v1/proofs/{domain}',
    access: 'domains',
    summary: 'Give up the proof of a domain; other accounts can then claim names below it',
    status: 204,
  },
} as const satisfies Endpoints
