import { ProblemError } from '@masthead/client/problem-error.ts'

/**
 * Which fields a refusal is about. Null where it is not about fields, or about one that the form does not have:
 * then it has to be told as a whole.
 */
export function fieldFaults(error: unknown, fields: ReadonlySet<string>): Record<string, string> | null {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return null
  const faults: Record<string, string> = {}
  for (const { path, message } of error.errors) {
    const field = path.split(/[./]/).findLast((part) => part !== '')
    if (field === undefined || !fields.has(field)) return null
    faults[field] ??= asSentence(message)
  }
  return faults
}

/** A sentence that begins with a name, such as acme.com, leaves it as it is. */
function asSentence(message: string): string {
  const named = /^\S+\.\S/.test(message)
  const text = named ? message : message.charAt(0).toUpperCase() + message.slice(1)
  return text.endsWith('.') ? text : `${text}.`
}
