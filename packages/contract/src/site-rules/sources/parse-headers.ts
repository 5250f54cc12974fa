import type { RuleFindings } from '../findings.ts'
import { type HeaderList, headerNameProblem, headerProblem } from '../header-list.ts'
import { parsePattern } from '../pattern.ts'
import { excerpt, readRuleLines, trimBlanks } from '../rule-lines.ts'
import { headersFile, ruleLimits, sizeExcess } from '../rules.ts'
import {
  closedBecause,
  isBasicAuth,
  type PlainCredential,
  type ProtectionList,
  parseBasicAuth,
} from './protection-list.ts'

interface Draft {
  line: number
  from: string
  unset: string[]
  set: [string, string][]
  /** Null if no password is needed. */
  credentials: PlainCredential[] | null
}

/** Reads `_headers`, in the syntax of Netlify and Cloudflare. */
export function readHeaders(
  content: Uint8Array,
  list: HeaderList,
  protections: ProtectionList,
  findings: RuleFindings,
): void {
  list.excess ??= sizeExcess(headersFile, content.byteLength)
  if (list.excess !== null) return
  /** Null before the first path, and after one that cannot be used. */
  let current: Draft | null = null
  let hasPath = false
  const error = (line: number, message: string) =>
    findings.add({ file: headersFile, line, level: 'error', message })
  const warn = (line: number, message: string) =>
    findings.add({ file: headersFile, line, level: 'warning', message })
  const finish = () => {
    if (current === null) return
    const { credentials, ...rule } = current
    if (credentials !== null) protections.add({ line: rule.line, from: rule.from, credentials })
    if (rule.set.length + rule.unset.length > 0) list.add(rule)
    if (rule.set.length + rule.unset.length > 0 || credentials !== null) return
    const message = `No headers follow ${excerpt(current.from)}. Indent them below it: Name: value.`
    warn(current.line, message)
  }

  for (const { number, text, fault } of readRuleLines(content, ruleLimits.headerLine)) {
    if (/^(?:\/|https?:\/\/)/i.test(text)) {
      finish()
      hasPath = true
      const from = withoutComment(text)
      const pattern = fault ?? parsePattern(from)
      const isUsable = typeof pattern !== 'string'
      current = isUsable ? { line: number, from, unset: [], set: [], credentials: null } : null
      if (isUsable && /\s/.test(from)) warn(number, blankInPath)
      if (!isUsable) error(number, `${pattern} The headers below it are not used.`)
    } else if (fault !== null) error(number, fault)
    else if (!hasPath) error(number, 'There is no path above this line. Start with one, such as /*.')
    else if (current === null && /^basic-auth\s*:/i.test(text)) {
      error(number, 'These pages need no password, because the path above cannot be used. Fix it.')
    } else if (current !== null) {
      const problem = addLine(current, text)
      if (problem !== null) error(number, problem)
    }
    if (list.excess !== null || protections.excess !== null) return
  }
  finish()
}

const blankInPath =
  'The path has a space, which counts as part of it. Write it as %20, or what follows it on a line of its own.'

/** A path line without what follows it after white space and #. */
function withoutComment(text: string): string {
  const at = text.search(/\s#/)
  return at === -1 ? text : trimBlanks(text.slice(0, at))
}

/** Returns why it cannot be used. */
function addLine(rule: Draft, text: string): string | null {
  if (text.startsWith('!')) {
    const name = text.slice(1).trim()
    const problem = headerNameProblem(name)
    if (problem === null) rule.unset.push(name)
    return problem
  }
  const colon = text.indexOf(':')
  if (colon === -1) return 'This is neither a path, a header (Name: value) nor a removed one (! Name).'
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  if (isBasicAuth(name)) {
    const { credentials, problem } = parseBasicAuth(value)
    rule.credentials = [...(rule.credentials ?? []), ...credentials]
    if (problem === null || credentials.length > 0) return problem
    return closedBecause(problem, rule.from)
  }
  const problem = headerProblem(name, value)
  if (problem === null) rule.set.push([name, value])
  return problem
}
