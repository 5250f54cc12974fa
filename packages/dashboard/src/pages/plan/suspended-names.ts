import { ProblemError } from '@masthead/client/problem-error.ts'

/** The domains that a change of plan would suspend, as its refusal names them; null for any other outcome. */
export function suspendedNames(error: unknown): string[] | null {
  if (!(error instanceof ProblemError) || error.code !== 'domains_would_suspend') return null
  const { domains } = error.document
  return Array.isArray(domains) ? domains.filter((name) => typeof name === 'string') : []
}
