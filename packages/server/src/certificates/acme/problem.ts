import { z } from 'zod'

export type AcmeProblemKind =
  | (typeof kindOfType)[keyof typeof kindOfType]
  | 'unreachable'
  | 'invalid_answer'
  | 'not_found'

/** The error types of CAs (RFC 8555, section 6.7; RFC 9773, section 7.4) and our kinds for them. */
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
  badPublicKey: 'account_refused',
  badSignatureAlgorithm: 'account_refused',
  externalAccountRequired: 'account_refused',
  invalidContact: 'account_refused',
  unsupportedContact: 'account_refused',
  userActionRequired: 'account_refused',
  orderNotReady: 'other',
  compound: 'other',
} as const

/** Untrusted text that ends up in logs and timelines, so we truncate it and remove line breaks. */
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

export type AcmeProblemDocument = z.infer<typeof problemDocument>

/** Any failed request to a CA. `message` is for the operator. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem'
  readonly kind: AcmeProblemKind
  readonly document: AcmeProblemDocument | null
  readonly status: number | null
  /** The CA asks not to retry before this. */
  readonly retryAt: number | null
  /** The request may have succeeded: its response was lost or unreadable. */
  readonly mayBeDone: boolean

  constructor(kind: AcmeProblemKind, message: string, more: ProblemDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.kind = kind
    this.document = more.document ?? null
    this.status = more.status ?? more.document?.status ?? null
    this.retryAt = more.retryAt ?? null
    this.mayBeDone = more.mayBeDone ?? kind === 'invalid_answer'
  }
}

interface ProblemDetails {
  document?: AcmeProblemDocument
  status?: number
  retryAt?: number | null
  mayBeDone?: boolean
  cause?: unknown
}

/** From the error of a failed challenge or order. */
export function problemFromDocument(document: AcmeProblemDocument): AcmeProblem {
  return new AcmeProblem(kindOf(document), describe(document), { document })
}

/** From the error response to a request, where some types mean something else. */
export function problemFromResponse(
  document: AcmeProblemDocument,
  more: { status: number; retryAt: number | null },
): AcmeProblem {
  return new AcmeProblem(kindOfResponse(document, more.status), describe(document), { ...more, document })
}

function kindOfResponse(document: AcmeProblemDocument, status: number): AcmeProblemKind {
  const kind = kindOf(document)
  // An unknown URL: purged, or not yet on the replica we asked.
  if (kind === 'malformed' && status === 404) return 'not_found'
  // No name has been validated yet, so this is about the account.
  return kind === 'unauthorized' ? 'account_refused' : kind
}

function describe({ type, detail, subproblems }: AcmeProblemDocument): string {
  return `The CA responded with ${type}: ${detail ?? subproblems?.[0]?.detail ?? 'no detail'}`
}

function kindOf({ type, subproblems }: AcmeProblemDocument): AcmeProblemKind {
  const name = type.replace(/^urn:ietf:params:acme:error:/, '')
  const first = subproblems?.[0]
  if (name === 'compound' && first !== undefined) return kindOf({ type: first.type })
  return Object.hasOwn(kindOfType, name) ? kindOfType[name as keyof typeof kindOfType] : 'other'
}
