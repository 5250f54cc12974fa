import { z } from 'zod'

const time = z.iso.datetime()

const certificateError = z
  .object({
    kind: z
      .string()
      .meta({ description: 'For programs; it decides when we retry', examples: ['caa_forbids'] }),
    at: time,
    authority: z.string().meta({ description: 'The certificate authority', examples: ["Let's Encrypt"] }),
    message: z.string().meta({ description: 'What happened' }),
    hint: z.string().meta({ description: 'What to do, if anything' }),
    said: z.string().nullable().meta({ description: "The certificate authority's own words" }),
    problem: z.unknown().meta({ description: 'Its whole problem document (RFC 8555), or null' }),
    add: z
      .object({ type: z.string(), fqdn: z.string(), value: z.string() })
      .nullable()
      .meta({ description: 'The DNS record that would allow issuance' }),
  })
  .meta({ id: 'CertificateError' })

const passedOver = z
  .object({
    authority: z.string(),
    kind: z.string().meta({ description: 'As in `lastError`', examples: ['unreachable'] }),
    message: z.string(),
  })
  .meta({ id: 'PassedOverAuthority' })

const ownCertificate = z
  .object({
    issuer: z.string(),
    serial: z.string(),
    names: z.array(z.string()).meta({ description: 'The hostnames it is for' }),
    notBefore: time,
    notAfter: time,
    trusted: z.boolean().meta({
      description:
        'Whether its chain ends at a root that browsers know. If not, only clients of your own CA accept it',
    }),
    inUse: z.boolean().meta({ description: 'False until the domain is verified' }),
    uploadedAt: time,
  })
  .meta({ id: 'OwnCertificate' })

/** In PEM. A chain of ten certificates with RSA keys of 4096 bits has 30 KB. */
export const certificateUpload = z.strictObject({
  chain: z
    .string()
    .min(1)
    .max(50_000)
    .meta({
      description: 'The certificate and its intermediates in PEM, in any order',
      examples: ['-----BEGIN CERTIFICATE-----\nMIIB...\n-----END CERTIFICATE-----\n'],
    }),
  key: z
    .string()
    .min(1)
    .max(12_000)
    .meta({
      description: 'Its private key in PEM: RSA (2048 to 4096 bits) or ECDSA (P-256, P-384), not encrypted',
      examples: ['-----BEGIN PRIVATE KEY-----\nMIGH...\n-----END PRIVATE KEY-----\n'],
    }),
})

export const certificate = z.object({
  status: z.enum(['none', 'pending', 'valid', 'failed']),
  issuer: z.string().nullable(),
  serial: z.string().nullable(),
  notAfter: time.nullable(),
  attempts: z.number().int().meta({ description: 'Failed attempts since the last success' }),
  lastError: certificateError.nullable(),
  nextAttemptAt: time.nullable(),
  passedOver: z
    .array(passedOver)
    .meta({ description: 'Certificate authorities that were asked before `issuer` and could not issue' }),
  own: ownCertificate
    .nullable()
    .meta({ description: 'The certificate you uploaded; null if Masthead manages it' }),
})

export type CertificateView = z.infer<typeof certificate>
