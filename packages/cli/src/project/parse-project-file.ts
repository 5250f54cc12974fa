import { closestMatch } from '@masthead/contract/closest-match.ts'
import { projectFile } from '@masthead/contract/project-file.ts'
import { domainsMember } from '@masthead/contract/schemas/domain-config.ts'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { usageError } from '../errors/command-error.ts'
import { sanitize } from '../terminal/layout.ts'
import { type MemberPath, type ProjectFile, valueAt } from './project-file.ts'

const maxFaultsShown = 8

/** The extension of `name` decides between JSON and YAML. */
export function parseProjectFile(text: string, name: string): Pick<ProjectFile, 'members' | 'lineOf'> {
  const counter = new LineCounter()
  // The YAML parser also reads JSON, and has the position of every value.
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const lineOf = (path: MemberPath) => counter.linePos(offsetOf(document, path)).line || 1
  const value = name.endsWith('.json') ? readJson(text, name) : readYaml(document, counter, name)
  const read = projectFile.safeParse(value)
  if (read.success) return { members: read.data, lineOf }
  const faults = projectFileFaults(read.error.issues, value)
    .map(({ path, message }) => ({ line: lineOf(path), message }))
    .sort((one, other) => one.line - other.line)
  const told = faults.slice(0, maxFaultsShown).map(({ line, message }) => at(name, line, message))
  if (faults.length > told.length) told.push(`… and ${faults.length - told.length} more.`)
  throw usageError(told.join('\n'), '')
}

const at = (name: string, line: number, message: string) => `${name} line ${line}: ${message}`

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    const line = Number(/\(line (\d+) /.exec(message)?.[1] ?? text.split('\n').length)
    const what = message
      .replace(/ in JSON at position.*$/s, '')
      .replace(/,? *"[^"]*"\.\.\. is not valid JSON$/s, '')
    throw usageError(
      at(name, line, `this is not JSON. ${what}.`),
      'Fix it, or create it again with `masthead init`.',
    )
  }
}

function readYaml(document: Document, counter: LineCounter, name: string): unknown {
  const [error] = document.errors
  if (error !== undefined) {
    const { line } = counter.linePos(error.pos[0])
    throw usageError(at(name, line, `this is not YAML. ${error.message}.`), 'Fix it.')
  }
  try {
    return document.toJS()
  } catch (cause) {
    // Too many aliases, or an undefined one.
    throw usageError(`${name} cannot be read: ${(cause as Error).message}.`, 'Write it without aliases.')
  }
}

/** The offset of the key or list entry at the path, or of its closest parent. */
function offsetOf(document: Document, path: MemberPath): number {
  let node: unknown = document.contents
  let offset = isMap(node) || isSeq(node) || isScalar(node) ? (node.range?.[0] ?? 0) : 0
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (pair === undefined) return offset
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(step)]
      if (!isMap(item) && !isScalar(item) && !isSeq(item)) return offset
      offset = item.range?.[0] ?? offset
      node = item
    } else return offset
  }
  return offset
}

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

/** The errors of a project file in words. */
function projectFileFaults(issues: readonly object[], file: unknown): ProjectFileFault[] {
  return (issues as readonly Issue[]).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    if (issue.keys !== undefined) return issue.keys.map((key) => unknownMember(path, key))
    return [{ path, message: sentence(issue, path, valueAt(file, path)) }]
  })
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
  if (issue.expected === 'object') return `"${name}" has no members of its own.`
  const isPlain = typeof value === 'number' || typeof value === 'boolean'
  return `"${name}" is not a text${isPlain ? '; put it in quotes' : ''}.`
}

function unknownMember(path: MemberPath, key: string): ProjectFileFault {
  const known = knownMembers(path)
  const meant = closestMatch(key, known)
  const advice = meant === null ? `known are ${joinWords(known, 'and')}.` : `did you mean "${meant}"?`
  return { path: [...path, key], message: `"${sanitize(key)}" is not known here; ${advice}` }
}

/** A file has three levels: the file itself, `domains`, and a redirect. */
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
  if (typeof value === 'string') return `"${sanitize(value)}"`
  return typeof value === 'object' && value !== null ? 'as it is written' : String(value)
}

function joinWords(values: readonly unknown[], word = 'or'): string {
  const texts = values.map(String)
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`
}
