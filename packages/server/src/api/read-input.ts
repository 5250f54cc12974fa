import type { z } from 'zod'
import { Problem } from '../problem.ts'

/** Checks a body or a query, and fills in defaults. Every fault is named with its field. */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const errors = result.error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    if (issue.code !== 'unrecognized_keys')
      return [{ path: path.join('.'), message: lowerFirst(issue.message) }]
    return issue.keys.map((key) => ({
      path: [...path, key].join('.'),
      message: 'is not a field that exists',
    }))
  })
  const [first] = errors
  const fields =
    errors.length === 1
      ? `${first?.path || 'The body'} ${first?.message}`
      : `${errors.length} values are wrong`
  throw new Problem('invalid_input', `${fields}.`, { extra: { errors } })
}

/** An address with a part that cannot name anything is an address where nothing is. */
export function readAddress<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new Problem('not_found', 'No such id can exist. Check the address.')
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}
