import { projectFileFaults } from '@masthead/contract/project-file/faults.ts'
import type { MemberPath } from '@masthead/contract/project-file/member-path.ts'
import { projectFile } from '@masthead/contract/project-file.ts'
import { readJsonLines } from '@masthead/contract/site-rules/sources/json-lines.ts'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { usageError } from '../errors/command-error.ts'
import { type ProjectFile, UnparseableError } from './project-file.ts'

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
  const faults = [...projectFileFaults(read.error.issues, value)]
    .map(({ path, message }) => ({ line: lineOf(path), message }))
    .sort((one, other) => one.line - other.line)
  const told = faults.slice(0, maxFaultsShown).map(({ line, message }) => at(name, line, message))
  if (faults.length > told.length) told.push(`… and ${faults.length - told.length} more.`)
  throw usageError(told.join('\n'), '')
}

const at = (name: string, line: number, message: string) => `${name} line ${line}: ${message}`

function readJson(text: string, name: string): unknown {
  const [repeated] = readJsonLines(text).repeated
  if (repeated !== undefined) {
    // A password in the first of them would be lost.
    throw usageError(
      at(name, repeated.line, `${JSON.stringify(repeated.name)} is there twice.`),
      'Remove one of them.',
    )
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    const line = Number(/\(line (\d+) /.exec(message)?.[1] ?? text.split('\n').length)
    const what = message
      .replace(/ in JSON at position.*$/s, '')
      .replace(/,? *"[^"]*"\.\.\. is not valid JSON$/s, '')
    throw new UnparseableError(name, at(name, line, `this is not JSON. ${what}.`))
  }
}

function readYaml(document: Document, counter: LineCounter, name: string): unknown {
  const [error] = document.errors
  if (error !== undefined) {
    const { line } = counter.linePos(error.pos[0])
    throw new UnparseableError(name, at(name, line, `this is not YAML. ${error.message}.`))
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
