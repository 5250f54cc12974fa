import { type Client, createClient } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import type { endpoints } from '@masthead/contract/endpoints.ts'
import type { ProblemCode } from '@masthead/contract/problems.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Scope } from '@masthead/contract/scopes.ts'

// Someone is waiting: retry through a short hiccup, then show the error.
const retry = { attempts: 3, totalMs: 3_000, outageMs: 0 }

type Endpoints = typeof endpoints
type InAccount = {
  [N in keyof Client]: Endpoints[N] extends { access: Scope } | { inAccount: true } ? N : never
}[keyof Client]

/** The calls outside any account, plus `getProject`, which finds the account of a project. */
export type PersonClient = Omit<Client, Exclude<InAccount, 'getProject'>>

/** For calls outside any account; the browser sends the session cookie. Use `useClient` inside an account. */
export const client: PersonClient = createClient({ server: location.origin, retry })

const byAccount = new Map<Id<'account'>, Client>()

/** A client that names this account in every request. */
export function clientOf(account: Id<'account'>): Client {
  const known = byAccount.get(account) ?? createClient({ server: location.origin, account, retry })
  byAccount.set(account, known)
  return known
}

export function isProblem(error: unknown, ...codes: ProblemCode[]): error is ProblemError {
  return error instanceof ProblemError && codes.some((code) => code === error.code)
}
