import { z } from 'zod'
import { projectFile } from '../project-file.ts'
import { excerpt } from '../site-rules/rule-lines.ts'
import { closestMatch } from '../text/closest-match.ts'
import { type MemberPath, valueAt } from './member-path.ts'

export interface ProjectFileFault {
  path: MemberPath
  message: string
}

/** A zod issue. */
interface Issue {
  code?: string
  path: readonly PropertyKey[]
  message: string
  expected?: unknown
  keys?: readonly string[]
  values?: readonly unknown[]
  errors?: readonly (readonly Issue[])[]
}

/** The errors of a project file, or of the part of it at `base`, in words. There may be very many. */
export function* projectFileFaults(
  issues: readonly object[],
  value: unknown,
  base: MemberPath = [],
): Generator<ProjectFileFault> {
  for (const issue of issues as readonly Issue[]) {
    const inside = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    const path = [...base, ...inside]
    if (issue.keys === undefined) yield { path, message: sentence(issue, path, valueAt(value, inside)) }
    else for (const key of issue.keys) yield unknownMember(path, key)
  }
}

function sentence(issue: Issue, path: MemberPath, value: unknown): string {
  const name = nameOf(path)
  const allowed = allowedValues(issue)
  if (allowed.length > 0) return `${name} ${shown(value)} is not allowed; give ${joinWords(allowed)}.`
  if (issue.code === 'too_small') return `"${name}" is empty.`
  if (issue.code === 'too_big') return `"${name}" is too long.`
  if (issue.code !== 'invalid_type') return `"${name}": ${issue.message}.`
  if (path.length === 0) return 'there are no members here, such as project.'
  if (value === undefined) return `"${name}" is missing.`
  if (issue.expected === 'array') return `"${name}" is not a list.`
  if (issue.expected === 'boolean') return `"${name}" is neither true nor false.`
  if (issue.expected === 'object' || issue.expected === 'record')
    return `"${name}" has no members of its own.`
  if (issue.expected === 'number')
    return `"${name}" is not a number${typeof value === 'string' ? '; write it without quotes' : ''}.`
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return `"${name}" is not a text${isPlain ? '; put it in quotes' : ''}.`
}

export function unknownMember(path: MemberPath, key: string): ProjectFileFault {
  const known = knownMembers(path)
  const meant = closestMatch(key.slice(0, 100), known)
  const advice = meant === null ? `known are ${joinWords(known, 'and')}.` : `did you mean "${meant}"?`
  return { path: [...path, key], message: `${excerpt(key)} is not known here; ${advice}` }
}

/** The members that an object at a path can have. */
function knownMembers(path: MemberPath): string[] {
  let schema: unknown = projectFile
  for (const step of path) {
    if (schema instanceof z.ZodObject) schema = withoutWrapping(schema.shape[step])
    else if (schema instanceof z.ZodArray) schema = withoutWrapping(schema.element)
    else return []
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function withoutWrapping(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? withoutWrapping(schema.unwrap())
    : schema
}

function allowedValues({ values = [], errors = [] }: Issue): unknown[] {
  return [...values, ...errors.flat().flatMap(allowedValues)]
}

function nameOf(path: MemberPath): string {
  const last = path.at(-1)
  return typeof last === 'number'
    ? `${nameOf(path.slice(0, -1))}[${last}]`
    : (last ?? 'The file').slice(0, 80)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return excerpt(value)
  return typeof value === 'object' && value !== null ? 'as it is written' : String(value)
}

function joinWords(values: readonly unknown[], word = 'or'): string {
  const texts = values.map(String)
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`
}
