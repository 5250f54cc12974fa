import type { Steps } from '../checks/in-steps.ts'
import type { RuleFindings } from '../findings.ts'
import { type HeaderList, headerNameProblem, headerProblem } from '../header-list.ts'
import { fragmentProblem, parsePattern, withoutFragment } from '../pattern.ts'
import { excerpt, readRuleLines, trimBlanks } from '../rule-lines.ts'
import { headersFile, ruleLimits, sizeExcess } from '../rules.ts'
import {
  closedBecause,
  isBasicAuth,
  isMeantAsBasicAuth,
  type PlainCredential,
  type ProtectionList,
  parseBasicAuth,
  wrongBasicAuth,
} from './protection-list.ts'

interface Draft {
  line: number
  from: string
  /** Why its headers are not used. A password still closes it. */
  problem: string | null
  unset: string[]
  set: [string, string][]
  /** Null if no password is needed. */
  credentials: PlainCredential[] | null
}

/** Reads `_headers`, in the syntax of Netlify and Cloudflare. */
export function* readHeaders(
  content: Uint8Array,
  list: HeaderList,
  protections: ProtectionList,
  findings: RuleFindings,
): Steps {
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
    const { credentials, problem, ...rule } = current
    if (credentials !== null) protections.add({ line: rule.line, from: rule.from, credentials })
    if (rule.set.length + rule.unset.length > 0) list.add(rule)
    if (rule.set.length + rule.unset.length > 0 || credentials !== null || problem !== null) return
    const message = `No headers follow ${excerpt(current.from)}. Indent them below it: Name: value.`
    warn(current.line, message)
  }

  for (const { number, text, fault } of readRuleLines(content, ruleLimits.headerLine)) {
    if (/^(?:\/|https?:\/\/)/i.test(text)) {
      finish()
      hasPath = true
      const { from, hasPassword } = readPath(text)
      const problem = fragmentProblem(from)
      const pattern = fault ?? parsePattern(from)
      const isUsable = typeof pattern !== 'string'
      const draft = {
        line: number,
        from: withoutFragment(from),
        problem,
        unset: [],
        set: [],
        credentials: null,
      }
      current = isUsable ? draft : null
      if (isUsable && problem !== null) error(number, `${problem} The headers below it are not used.`)
      if (isUsable && /\s/.test(from)) warn(number, blankInPath)
      if (!isUsable) error(number, `${pattern} The headers below it are not used.`)
      if (current !== null && hasPassword) error(number, close(current, wrongBasicAuth))
    } else if (!hasPath) {
      error(number, fault ?? 'There is no path above this line. Start with one, such as /*.')
    } else if (current === null) {
      if (isMeantAsBasicAuth(text)) error(number, notProtected)
      else if (fault !== null) error(number, fault)
    } else {
      const problem = fault === null ? addLine(current, text) : addFault(current, text, fault)
      if (problem !== null) error(number, problem)
    }
    if (list.excess !== null || protections.excess !== null) return
    yield
  }
  finish()
}

const blankInPath =
  'The path has a space, which counts as part of it. Write it as %20, or what follows it on a line of its own.'

const notProtected = 'These pages need no password, because the path above cannot be used. Fix it.'

/** A path line ends before a comment, and before a password that should be on the next line. */
function readPath(text: string): { from: string; hasPassword: boolean } {
  const comment = text.search(/\s#/)
  const line = comment === -1 ? text : text.slice(0, comment)
  const password = line.search(/\s\W{0,8}basic\W{0,8}auth\b/i)
  const hasPassword = password !== -1 && /[:=]/.test(line.slice(password))
  return { from: trimBlanks(hasPassword ? line.slice(0, password) : line), hasPassword }
}

/** Says so too. Passwords on other lines of the path still work. */
function close(rule: Draft, problem: string): string {
  rule.credentials ??= []
  return rule.credentials.length > 0 ? problem : closedBecause(problem, rule.from)
}

function addFault(rule: Draft, text: string, fault: string): string {
  return isMeantAsBasicAuth(text) ? close(rule, fault) : fault
}

/** Returns why it cannot be used. */
function addLine(rule: Draft, text: string): string | null {
  if (rule.problem !== null) return isMeantAsBasicAuth(text) ? close(rule, rule.problem) : null
  if (text.startsWith('!')) {
    const name = text.slice(1).trim()
    const problem = headerNameProblem(name)
    if (problem === null) rule.unset.push(name)
    return problem
  }
  const colon = text.indexOf(':')
  if (isMeantAsBasicAuth(text) && !isBasicAuth(text.slice(0, colon).trim()))
    return close(rule, wrongBasicAuth)
  if (colon === -1) return 'This is neither a path, a header (Name: value) nor a removed one (! Name).'
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  if (isBasicAuth(name)) {
    const { credentials, problem } = parseBasicAuth(value)
    rule.credentials = [...(rule.credentials ?? []), ...credentials]
    return problem === null ? null : close(rule, problem)
  }
  const problem = headerProblem(name, value)
  if (problem === null) rule.set.push([name, value])
  return problem
}
