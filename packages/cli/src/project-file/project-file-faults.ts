import { projectFile } from '@masthead/contract/project-file.ts'
import { domainsMember } from '@masthead/contract/schemas/domain-config.ts'
import { nearest } from '../nearest.ts'
import { printable } from '../printable.ts'
import { valueAt } from '../value-at.ts'
import type { MemberPath } from './project-file.ts'

export interface FileFault {
  path: MemberPath
  message: string
}

/** As zod tells it; each kind has members of its own. */
interface Issue {
  code?: string
  path: readonly PropertyKey[]
  message: string
  expected?: unknown
  keys?: readonly string[]
  values?: readonly unknown[]
  errors?: readonly (readonly Issue[])[]
}

/** What is wrong with a project file, for the person who wrote it. */
export function projectFileFaults(issues: readonly object[], file: unknown): FileFault[] {
  return (issues as readonly Issue[]).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    if (issue.keys !== undefined) return issue.keys.map((key) => unknownMember(path, key))
    return [{ path, message: sentence(issue, path, valueAt(file, path)) }]
  })
}

function sentence(issue: Issue, path: MemberPath, value: unknown): string {
  const name = nameOf(path)
  const allowed = allowedValues(issue)
  if (allowed.length > 0) return `${name} ${shown(value)} is not allowed; give ${inWords(allowed)}.`
  if (issue.code === 'too_small') return `"${name}" is empty.`
  if (issue.code === 'too_big') return `"${name}" is too long.`
  if (issue.code !== 'invalid_type') return `"${name}": ${issue.message}.`
  if (path.length === 0) return 'there are no members here, such as project.'
  if (value === undefined) return `"${name}" is missing.`
  if (issue.expected === 'array') return `"${name}" is not a list.`
  if (issue.expected === 'object') return `"${name}" has no members of its own.`
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return `"${name}" is not a text${isPlain ? '; put it in quotes' : ''}.`
}

function unknownMember(path: MemberPath, key: string): FileFault {
  const known = knownMembers(path)
  const meant = nearest(key, known)
  const advice = meant === null ? `known are ${inWords(known, 'and')}.` : `did you mean "${meant}"?`
  return { path: [...path, key], message: `"${printable(key)}" is not known here; ${advice}` }
}

/** A file has three levels: its own members, those of `domains`, and those of a redirect. */
function knownMembers(path: MemberPath): string[] {
  if (path.length === 0) return Object.keys(projectFile.shape)
  const { shape } = domainsMember
  return Object.keys(path.length === 1 ? shape : shape.redirects.unwrap().element.shape)
}

function allowedValues({ values = [], errors = [] }: Issue): unknown[] {
  return [...values, ...errors.flat().flatMap(allowedValues)]
}

function nameOf(path: MemberPath): string {
  const last = path.at(-1)
  return typeof last === 'number' ? `${nameOf(path.slice(0, -1))}[${last}]` : (last ?? 'The file')
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${printable(value)}"`
  return typeof value === 'object' && value !== null ? 'as it is written' : String(value)
}

function inWords(values: readonly unknown[], word = 'or'): string {
  const texts = values.map(String)
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`
}
