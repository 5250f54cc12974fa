import type { z } from 'zod'
import { projectFileFaults } from '../../project-file/faults.ts'
import type { MemberPath } from '../../project-file/member-path.ts'
import { formatLocation, type RuleFinding } from '../findings.ts'
import { headerNameProblem, headerProblem } from '../header-list.ts'
import { fragmentProblem, parsePattern, type SplatNeed, withoutFragment } from '../pattern.ts'
import { excerpt } from '../rule-lines.ts'
import { ruleLimits } from '../rules.ts'
import { closedBecause, isBasicAuth, isMeantAsBasicAuth, parseBasicAuth } from './protection-list.ts'
import type { RuleCollector } from './rule-collector.ts'

type GivenHeader = readonly [name: string, value: string | null | undefined]

/** A file of rules that is one document, whose members and entries have lines. */
export class RuleSource {
  readonly members: Readonly<Record<string, unknown>>
  readonly rules: RuleCollector
  readonly #file: string
  readonly #lineOf: (member: string, entry?: number) => number | null

  constructor(
    file: string,
    members: Readonly<Record<string, unknown>>,
    lineOf: (member: string, entry?: number) => number | null,
    rules: RuleCollector,
  ) {
    this.#file = file
    this.members = members
    this.#lineOf = lineOf
    this.rules = rules
  }

  placeOf([member, entry]: MemberPath): { file: string; line: number | null } {
    const line = this.#lineOf(String(member), typeof entry === 'number' ? entry : undefined)
    return { file: this.#file, line }
  }

  report(level: RuleFinding['level'], path: MemberPath, message: string): void {
    const [member, entry] = path
    const where = typeof entry === 'number' ? `${member}[${entry}]: ` : ''
    this.rules.findings.add({ ...this.placeOf(path), level, message: `${where}${message}` })
  }

  /** The entries of a list that fit the schema, until there are too many. The others are reported, and given to `refuse`. */
  *entriesOf<T>(
    member: string,
    schema: z.ZodType<T>,
    refuse?: (path: MemberPath, entry: unknown) => void,
  ): Generator<[path: MemberPath, entry: T]> {
    const list = this.members[member]
    if (list === undefined) return
    if (!Array.isArray(list)) {
      this.report('error', [member], `"${member}" is not a list.`)
      refuse?.([member], list)
      return
    }
    if (list.length > ruleLimits.entries) {
      this.rules.redirects.excess ??= `${this.#file.slice(1)} has more than ${ruleLimits.entries} ${member}.`
      return
    }
    for (const [at, entry] of list.entries()) {
      const path = [member, at]
      if (this.isTooLarge(path, entry)) return
      const read = this.read(path, entry, schema)
      if (read !== null) yield [path, read]
      else refuse?.(path, entry)
      if (this.rules.excess !== null) return
    }
  }

  /** Says so before a schema looks at every part. */
  isTooLarge(path: MemberPath, entry: unknown): boolean {
    if (!hasManyParts(entry)) return false
    const { entryParts } = ruleLimits
    const where = `${formatLocation(this.placeOf(path))}: ${path[0]}[${path[1]}]`
    this.rules.redirects.excess ??= `${where} has a list or object of more than ${entryParts} members.`
    return true
  }

  /** Null if it does not fit the schema, which is reported. */
  read<T>(path: MemberPath, value: unknown, schema: z.ZodType<T>): T | null {
    const read = schema.safeParse(value)
    if (read.success) return read.data
    const [fault] = projectFileFaults(read.error.issues, value, path)
    this.report('error', path, fault?.message ?? 'This cannot be used.')
    return null
  }

  /** Lets nobody in to a path but members, because its password cannot be used. */
  close(path: MemberPath, given: string, problem: string): void {
    const from = withoutFragment(given)
    const pattern = parsePattern(from)
    if (typeof pattern === 'string') {
      this.report('error', path, `${pattern} ${notProtected}`)
      return
    }
    this.report('error', path, closedBecause(problem, from))
    this.rules.protections.add({ ...this.placeOf(path), from, credentials: [] })
  }

  /** Adds headers for a path. A null value removes one. Undefined: it is not a text, which is reported of passwords only. */
  addHeaders(path: MemberPath, from: string, given: readonly GivenHeader[], splat?: SplatNeed): void {
    const values = given.map(([name, value]) => [name.trim(), value] as const)
    const pattern = parsePattern(from)
    const passwords = values.filter(([name, value]) => isMeantAsBasicAuth(name) && value !== null)
    const fragment = fragmentProblem(from)
    if (fragment !== null && passwords.length > 0) {
      this.close(path, from, fragment)
      return
    }
    const problem = fragment ?? (typeof pattern === 'string' ? pattern : null)
    if (problem !== null) {
      this.report('error', path, passwords.length === 0 ? problem : `${problem} ${notProtected}`)
      return
    }
    if (passwords.length > 0) this.#addPasswords(path, from, passwords)
    const unset: string[] = []
    const set: [string, string][] = []
    for (const [name, value] of values) {
      if (value === undefined || (isMeantAsBasicAuth(name) && value !== null)) continue
      const problem = value === null ? headerNameProblem(name) : headerProblem(name, value)
      if (problem !== null) this.report('error', path, problem)
      else if (value === null) unset.push(name)
      else set.push([name, value])
    }
    if (set.length + unset.length > 0) {
      this.rules.headers.add({ ...this.placeOf(path), from, ...(splat && { splat }), unset, set })
    } else if (values.length === 0) this.report('warning', path, `No headers are set for ${excerpt(from)}.`)
  }

  #addPasswords(path: MemberPath, from: string, passwords: readonly GivenHeader[]): void {
    const read = passwords.map(([name, value]) => {
      if (!isBasicAuth(name)) return { credentials: [], problem: 'The name of the header is Basic-Auth.' }
      return typeof value === 'string' ? parseBasicAuth(value) : { credentials: [], problem: notText }
    })
    const credentials = read.flatMap((one) => one.credentials)
    for (const { problem } of read) {
      if (problem === null) continue
      this.report('error', path, credentials.length > 0 ? problem : closedBecause(problem, from))
    }
    this.rules.protections.add({ ...this.placeOf(path), from, credentials })
  }
}

function hasManyParts(entry: unknown): boolean {
  const parts = [entry]
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    const members: unknown[] = Object.values(part)
    if (members.length > ruleLimits.entryParts) return true
    parts.push(...members)
  }
  return false
}

const notProtected = 'These pages need no password until it is fixed.'
const notText = 'Basic-Auth is not a text. Write user:password.'
