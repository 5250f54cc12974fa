import { z } from 'zod'

export type AcmeProblemKind = (typeof kindOfType)[keyof typeof kindOfType] | 'unreachable' | 'invalid_answer'

/** What the CA says (RFC 8555, section 6.7; RFC 9773, section 7.4) and what it means to us. */
const kindOfType = {
  badNonce: 'bad_nonce',
  connection: 'connection',
  tls: 'connection',
  dns: 'dns',
  caa: 'caa',
  rateLimited: 'rate_limited',
  unauthorized: 'unauthorized',
  incorrectResponse: 'unauthorized',
  serverInternal: 'server_internal',
  alreadyReplaced: 'already_replaced',
  accountDoesNotExist: 'account_missing',
  rejectedIdentifier: 'rejected_name',
  unsupportedIdentifier: 'rejected_name',
  malformed: 'malformed',
  badCSR: 'malformed',
  badPublicKey: 'malformed',
  badSignatureAlgorithm: 'malformed',
  externalAccountRequired: 'other',
  invalidContact: 'other',
  unsupportedContact: 'other',
  userActionRequired: 'other',
  orderNotReady: 'other',
  compound: 'other',
} as const

/** Anybody's text goes into logs and timelines, so it is cut short and kept to one line. */
const text = (longest: number) =>
  z.string().transform((value) => value.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longest))

const statement = {
  type: text(200).catch('about:blank'),
  detail: text(2000).optional().catch(undefined),
  identifier: z
    .object({ type: text(20), value: text(253) })
    .optional()
    .catch(undefined),
}

export const problemDocument = z.object({
  ...statement,
  status: z.int().min(100).max(599).optional().catch(undefined),
  subproblems: z
    .array(z.unknown())
    .transform((all) => all.slice(0, 20).flatMap((one) => z.object(statement).safeParse(one).data ?? []))
    .optional()
    .catch(undefined),
})

/** The CA's own words. */
export type ProblemDocument = z.infer<typeof problemDocument>

/** Whatever keeps an exchange with a CA from its end. `message` is for the operator. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem'
  readonly kind: AcmeProblemKind
  readonly document: ProblemDocument | null
  readonly status: number | null
  /** Not before this, the CA asks. */
  readonly retryAt: number | null

  constructor(
    kind: AcmeProblemKind,
    message: string,
    more: { document?: ProblemDocument; status?: number; retryAt?: number | null; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.kind = kind
    this.document = more.document ?? null
    this.status = more.status ?? more.document?.status ?? null
    this.retryAt = more.retryAt ?? null
  }
}

/** From what the CA said in answer to a request, or beside a challenge or an order that failed. */
export function problemFromDocument(
  document: ProblemDocument,
  more: { status?: number; retryAt?: number | null } = {},
): AcmeProblem {
  const detail = document.detail ?? document.subproblems?.[0]?.detail ?? 'no detail'
  return new AcmeProblem(kindOf(document), `The CA says ${document.type}: ${detail}`, { ...more, document })
}

function kindOf({ type, subproblems }: ProblemDocument): AcmeProblemKind {
  const name = type.replace(/^urn:ietf:params:acme:error:/, '')
  const first = subproblems?.[0]
  if (name === 'compound' && first !== undefined) return kindOf({ type: first.type })
  return Object.hasOwn(kindOfType, name) ? kindOfType[name as keyof typeof kindOfType] : 'other'
}
