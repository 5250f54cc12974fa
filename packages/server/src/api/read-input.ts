import type { z } from 'zod'
import { Problem } from '../problem.ts'
import { inputFault } from './input-fault.ts'

/** Checks a body or a query, and fills in defaults. Every fault is named with its field. */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { error: inputFault })
  if (result.success) return result.data
  const errors = result.error.issues.flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
    return keys.map((key) => {
      const path = [...issue.path, ...(key === undefined ? [] : [key])].map(String).join('.')
      return { path, message: issue.message }
    })
  })
  const [first] = errors
  const only = errors.length === 1 && first !== undefined ? first : null
  const detail =
    only === null ? `${errors.length} values are not valid` : `${only.path || 'The body'} ${only.message}`
  throw new Problem('invalid_input', `${detail}.`, { extra: { errors } })
}

/** An address with a part that cannot name anything is an address where nothing is. */
export function readAddress<T extends z.ZodType>(schema: T, params: unknown): z.output<T> {
  const result = schema.safeParse(params)
  if (result.success) return result.data
  const part = String(result.error.issues[0]?.path[0] ?? 'address')
  const value = (params as Record<string, string>)[part] ?? ''
  throw new Problem('not_found', `“${value.slice(0, 80)}” cannot name a ${part}.`)
}
