import { z } from 'zod'
import { proofStateNames } from '../../domains/proofs.ts'
import { noBody, pageOf, pageQuery } from '../fields.ts'
import { finding } from './dns-check.ts'
import { hostnameInput } from './domain.ts'

const time = z.iso.datetime()

const proofCheck = z
  .object({
    at: time,
    outcome: z.enum(['right', 'wrong', 'unclear']),
    observed: z.array(z.string()).meta({ description: 'The TXT values that all nameservers have' }),
    findings: z.array(finding),
  })
  .meta({ id: 'ProofCheck' })

const proof = z
  .object({
    domain: z.string(),
    unicode: z.string(),
    state: z.enum(proofStateNames),
    record: z.object({
      type: z.literal('TXT'),
      name: z.string().meta({ description: 'As DNS providers expect it: relative to the domain' }),
      fqdn: z.string(),
      value: z.string(),
      ttl: z.number().int(),
    }),
    lastCheck: proofCheck.nullable(),
    createdAt: time,
    provedAt: time.nullable(),
    seenAt: time.nullable().meta({ description: 'When the record was last in DNS' }),
    nextCheckAt: time.nullable(),
    endsAt: time.nullable().meta({
      description: 'When automatic checks end, or, if the record is missing, when the proof ends',
    }),
  })
  .meta({ id: 'Proof' })

const inProof = z.object({
  domain: z.string().min(1).max(260).meta({ description: 'The domain, in Unicode or ASCII form' }),
})

export const proofRoutes = {
  listProofs: { query: pageQuery, answer: pageOf(proof) },
  startProof: { body: z.strictObject({ domain: hostnameInput }), answer: proof },
  verifyProof: { params: inProof, body: noBody, answer: proof },
  removeProof: { params: inProof },
}

export type Proof = z.infer<typeof proof>
export type ProofCheck = z.infer<typeof proofCheck>
