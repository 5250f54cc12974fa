import type { ProblemCode } from '../problems.ts'
import type { Scope } from '../scopes.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route of the API as plain data, without schemas, so that the browser does not have to load zod. */
export interface Endpoint {
  route: `${Method} /v1/${string}`
  /**
   * `public`: anyone. `session`: a signed-in person. `any`: any valid key or session.
   * `operator`: the operator key or an operator's session. A scope: a key or a role that has it.
   */
  access: 'public' | 'session' | 'any' | 'operator' | Scope
  summary: string
  /** With a scope: only for signed-in people who have it, never for keys. */
  peopleOnly?: true
  /** Acts in one account although its access is not a scope. */
  inAccount?: true
  /** Status of a success, 200 by default. 204 means that the response has no body. */
  status?: 201 | 202 | 204
  /** Its own problems, in addition to those that any route can return. */
  problems?: readonly ProblemCode[]
  /** Responses have an `ETag`. A change accepts it as `If-Match` and is rejected if someone else changed it first. */
  versioned?: true
  /** A POST whose repetition changes nothing, so that it needs no `Idempotency-Key`. */
  repeatable?: true
  /**
   * Uses up the link, token or password that it is called with, so that it would be refused if repeated. With the same
   * `Idempotency-Key` and body it gets the first answer for ten minutes.
   */
  oneTime?: true
  /** Problems of a repeated DELETE that mean that the first one was carried out, besides `not_found`. */
  doneIf?: readonly ProblemCode[]
  /** What the body can be if not only JSON. */
  body?: 'archive-or-json' | 'archive' | 'bytes'
  /** How much JSON it accepts, where `defaultJsonLimits` is too little. */
  json?: JsonLimits
  /** Content type of a response that is not JSON. An event stream stays open until the client closes it. */
  answers?: 'application/x-pem-file' | 'text/event-stream'
}

/** Whether it acts in one account: the key's, or the one named in a signed-in person's request. */
export function actsInAccount({ access, inAccount }: Endpoint): boolean {
  return inAccount === true || !['public', 'session', 'any', 'operator'].includes(access)
}

export type Endpoints = Record<string, Endpoint>

/** How much JSON a route accepts. Both are checked before the body is parsed. */
export interface JsonLimits {
  bytes: number
  /** Members of objects and items of lists, at every depth. */
  entries: number
}

export const defaultJsonLimits: JsonLimits = { bytes: 64 * 1024, entries: 1_000 }

/**
 * The account a request acts in. A signed-in person can belong to several, so every request of the dashboard names
 * one. A key belongs to one account, and naming another is rejected.
 */
export const accountHeader = 'Masthead-Account'
