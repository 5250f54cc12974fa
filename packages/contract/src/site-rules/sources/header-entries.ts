import type { z } from 'zod'
import type { MemberPath } from '../../project-file/member-path.ts'
import type { Steps } from '../checks/in-steps.ts'
import { hasBasicAuth, isMeantAsBasicAuth } from './protection-list.ts'
import type { RuleSource } from './rule-source.ts'

/** How a file writes the headers for a path. */
interface HeaderSchemas {
  entry: z.ZodType<{ for: string; values: Record<string, unknown> }>
  value: z.ZodType<string | string[] | null>
}

/** Adds the headers of a file. A value that cannot be used is reported, and the others of its entry are used. */
export function* addHeaderEntries(source: RuleSource, schemas: HeaderSchemas): Steps {
  const refuse = (path: MemberPath, entry: unknown) => closeIfProtected(source, path, entry)
  for (const [path, entry] of source.entriesOf('headers', schemas.entry, refuse)) {
    const values = Object.entries(entry.values).flatMap(([name, given]) =>
      textsOf(source, [...path, name], given, schemas.value).map((text) => [name, text] as const),
    )
    source.addHeaders(path, entry.for, values)
    yield
  }
}

/** Undefined stands for what is not a text. */
function textsOf(
  source: RuleSource,
  path: MemberPath,
  given: unknown,
  schema: HeaderSchemas['value'],
): (string | null | undefined)[] {
  const isPassword = isMeantAsBasicAuth(String(path.at(-1)))
  const read = isPassword ? schema.safeParse(given).data : source.read(path, given, schema)
  // Without values, a list of passwords would be no password.
  if (isPassword && Array.isArray(read) && read.length === 0) return ['']
  if (given !== null && read === null) return [undefined]
  return Array.isArray(read) ? read : [read]
}

/** Nobody should read a page because the entry with its password cannot be used. */
export function closeIfProtected(source: RuleSource, path: MemberPath, entry: unknown): void {
  if (!hasBasicAuth(entry)) return
  const from = (entry as { for?: unknown } | null)?.for
  source.close(path, typeof from === 'string' ? from : '/*', refusedPassword)
}

export const refusedPassword = 'Its password is not used. Fix the entry.'
