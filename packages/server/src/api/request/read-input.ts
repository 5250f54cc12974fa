import { maxErrors } from '@masthead/contract/schemas/problem-document.ts'
import { z } from 'zod'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import { describeIssue } from './describe-issue.ts'

/** Validates a body or query, and fills in defaults. Lists the first issues and counts the rest. */
export function readInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { error: describeIssue })
  if (result.success) return result.data
  const issues = new Issues()
  issues.add(result.error.issues)
  throw issues.problem()
}

const batchSize = 500

/**
 * The same for a body, which may have a record with thousands of entries. Validates those in batches, so that other
 * requests are served in between.
 */
export async function readBody<T extends z.ZodType>(schema: T, value: unknown): Promise<z.output<T>> {
  const large = largeRecord(schema, value)
  if (large === null) return readInput(schema, value)
  const { name, entries, schema: recordSchema } = large
  const rest = readInput(schema, { ...(value as object), [name]: {} }) as Record<string, unknown>
  const slice = new TimeSlice()
  const issues = new Issues()
  const checked: Record<string, unknown> = {}
  for (let from = 0; from < entries.length; from += batchSize) {
    await slice.pause()
    const some = entries.slice(from, from + batchSize)
    if (some.every(([key, item]) => takeEntry(recordSchema, key, item, checked))) continue
    const result = recordSchema.safeParse(Object.fromEntries(some), { error: describeIssue })
    if (result.success) Object.assign(checked, result.data)
    else issues.add(result.error.issues, [name])
  }
  if (issues.count > 0) throw issues.problem()
  return { ...rest, [name]: checked } as z.output<T>
}

/** One at a time, because to build a record of all of them takes longer than to check them. */
function takeEntry(
  { keyType, valueType }: z.ZodRecord,
  key: string,
  item: unknown,
  into: Record<string, unknown>,
): boolean {
  if (key === '__proto__') return false
  const [name, value] = [z.safeParse(keyType, key), z.safeParse(valueType, item)]
  if (name.success && value.success) into[String(name.data)] = value.data
  return name.success && value.success
}

/** A path with an invalid parameter is not found. */
export function readAddress<T extends z.ZodType>(schema: T, params: unknown): z.output<T> {
  const result = schema.safeParse(params)
  if (result.success) return result.data
  const part = String(result.error.issues[0]?.path[0] ?? 'address')
  const value = (params as Record<string, string>)[part] ?? ''
  const detail =
    value === ''
      ? `The path has nothing where the ${part} belongs. Add it, or remove the slash at the end.`
      : `“${value.slice(0, 80)}” is not a valid ${part}.`
  throw new Problem('not_found', detail)
}

function largeRecord(schema: z.ZodType, value: unknown) {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return null
  for (const [name, member] of Object.entries(schema.shape)) {
    const found = (value as Record<string, unknown>)[name]
    if (!(member instanceof z.ZodRecord) || typeof found !== 'object' || found === null) continue
    const entries = Object.entries(found)
    if (entries.length > batchSize && !Array.isArray(found)) return { name, entries, schema: member }
  }
  return null
}

const maxPathLength = 200

class Issues {
  count = 0
  readonly #listed: { path: string; message: string }[] = []

  add(issues: readonly z.core.$ZodIssue[], under: readonly string[] = []): void {
    for (const issue of issues) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [null]
      this.count += keys.length
      for (const key of keys.slice(0, maxErrors - this.#listed.length)) {
        const path = [...under, ...issue.path, ...(key === null ? [] : [key])].map(String).join('.')
        this.#listed.push({ path: path.slice(0, maxPathLength), message: issue.message })
      }
    }
  }

  problem(): Problem {
    const [first] = this.#listed
    const more = this.count - this.#listed.length
    const detail =
      this.count === 1 && first !== undefined
        ? `${first.path || 'The body'} ${first.message}`
        : `${this.count} values are invalid${more > 0 ? `; here are the first ${maxErrors}` : ''}`
    const extra = { errors: this.#listed, ...(more > 0 ? { moreErrors: more } : {}) }
    return new Problem('invalid_input', `${detail}.`, { extra })
  }
}
