import { ProblemError } from '@masthead/client/problem-error.ts'

/**
 * A refusal of the whole configuration, for a form that edits one entry of it: what is about that entry stays with
 * its fields, anything else is told as sentences.
 */
export function forEntry(error: unknown, index: number): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'domain_config_invalid') return error
  const own = `domains.redirects.${index}.`
  if (error.errors.every(({ path }) => path.startsWith(own))) return error
  return new Error([...new Set(error.errors.map(({ message }) => `${message}.`))].join(' '), { cause: error })
}
