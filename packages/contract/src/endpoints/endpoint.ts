import type { ProblemCode } from '../problems.ts'
import type { Scope } from '../scopes.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route of the API as plain data, without schemas, so that a browser can load the table cheaply. */
export interface Endpoint {
  route: `${Method} /v1/${string}`
  /**
   * `public`: anyone. `session`: a signed-in person. `any`: whoever has a valid key or session.
   * `operator`: the operator key or an operator's session. A scope: a key or a role that has it.
   */
  access: 'public' | 'session' | 'any' | 'operator' | Scope
  summary: string
  /** With a scope: for people who have it, never for a key. */
  peopleOnly?: true
  /** It acts in one account, although its access is no scope. */
  inAccount?: true
  /** Of a success; 200 unless said. 204 goes with an answer that has no body. */
  status?: 201 | 202 | 204
  /** Problems of its own, beside those that any route may answer. */
  problems?: readonly ProblemCode[]
  /** The answer has an `ETag`; a change takes it as `If-Match`, and is refused where somebody else was first. */
  versioned?: true
  /** What the body is when it is not JSON alone. */
  body?: 'archive-or-json' | 'archive' | 'bytes'
  /** How much JSON it takes, where `defaultJsonLimits` are too little. */
  json?: JsonLimits
  /** The type of an answer that is text instead of JSON. One of events goes on for as long as it is listened to. */
  answers?: 'application/x-pem-file' | 'text/event-stream'
}

/** Whether it acts in one account: that of the key, or the one that a signed-in person's request names. */
export function actsInAccount({ access, inAccount }: Endpoint): boolean {
  return inAccount === true || !['public', 'session', 'any', 'operator'].includes(access)
}

export type Endpoints = Record<string, Endpoint>

/** How much JSON a route takes. Both are checked before anything is made of the body. */
export interface JsonLimits {
  bytes: number
  /** Members of objects and items of lists, at every depth. */
  entries: number
}

/** Of every route that does not say otherwise. */
export const defaultJsonLimits: JsonLimits = { bytes: 64 * 1024, entries: 1_000 }

/**
 * Which account a request means. A signed-in person may belong to several, so that every request of the dashboard
 * names one; a key belongs to one account, and naming another is refused.
 */
export const accountHeader = 'Masthead-Account'
