import { z } from 'zod'
import { unknownMember } from '../../project-file/faults.ts'
import type { MemberPath } from '../../project-file/member-path.ts'
import { projectFile } from '../../project-file.ts'
import { decodeText } from '../../text/decode-text.ts'
import type { Steps } from '../checks/in-steps.ts'
import { fragmentProblem, parsePattern } from '../pattern.ts'
import type { RedirectRule } from '../rules.ts'
import { addHeaderEntries, closeIfProtected, refusedPassword } from './header-entries.ts'
import { readJsonSource } from './json-source.ts'
import {
  closedBecause,
  credentialProblem,
  type PlainCredential,
  speaksOfProtection,
} from './protection-list.ts'
import type { RuleCollector } from './rule-collector.ts'
import { headersMember, protectMember, redirectMember, ruleMembers } from './rule-members.ts'
import type { RuleSource } from './rule-source.ts'

/** Reads the members of masthead.json that say how the site is served. The others are for the command line. */
export function* readMastheadFile(content: Uint8Array, file: string, rules: RuleCollector): Steps {
  if (!file.endsWith('.json') && isYamlWithoutRules(content)) return
  const advice = file.endsWith('.json')
    ? 'Fix it, or create it again with `masthead init`.'
    : 'Only `masthead deploy` reads YAML. Publish with it, or write masthead.json instead.'
  const source = readJsonSource(content, file, rules, advice)
  if (source === null) return
  for (const name of Object.keys(source.members)) {
    if (name in projectFile.shape) continue
    source.report('warning', [name], rules.findings.isFull ? '' : unknownMember([], name).message)
    if (!isMeantAsProtect(name)) closeIfProtected(source, [name], source.members[name])
    else source.close([name], '/*', refusedPassword)
    yield
  }
  for (const [path, member] of source.entriesOf('redirects', redirectMember)) {
    rules.redirects.add({ ...source.placeOf(path), ...redirectOf(member) })
    yield
  }
  yield* addHeaderEntries(source, {
    entry: headersMember.extend({ values: z.record(z.string(), z.unknown()) }),
    value: headersMember.shape.values.valueType,
  })
  const { protect = [] } = source.members
  for (const [at, entry] of (Array.isArray(protect) ? protect : [protect]).entries()) {
    const path = ['protect', at]
    if (source.isTooLarge(path, entry)) return
    addProtection(source, source.read(path, entry, protectMember) ?? closedMember(entry), path)
    if (rules.excess !== null) return
  }
  addSettings(source, rules)
}

function isMeantAsProtect(name: string): boolean {
  return /^protect(?:ed|ion|s)?$/i.test(name)
}

type ProtectMember = ReturnType<typeof protectMember.parse>

/** Nobody should read a page because of a typing error. */
function closedMember(entry: unknown): ProtectMember {
  const from = (entry as { for?: unknown } | null)?.for
  return { for: typeof from === 'string' ? from : '/*', users: {} }
}

function addProtection(source: RuleSource, member: ProtectMember, path: MemberPath): void {
  const { for: from, password, users = {} } = member
  const fragment = fragmentProblem(from)
  if (fragment !== null) {
    source.close(path, from, fragment)
    return
  }
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') {
    source.report('error', path, `${pattern} These pages need no password until it is fixed.`)
    return
  }
  const given: PlainCredential[] = [
    ...(password === undefined ? [] : [{ user: null, password }]),
    ...Object.entries(users).map(([user, one]) => ({ user, password: one })),
  ]
  const problem = given.map(credentialProblem).find((one) => one !== null) ?? null
  const credentials = given.filter((one) => credentialProblem(one) === null)
  if (problem !== null) source.report('error', path, problem)
  if (credentials.length === 0) source.report('error', path, closedBecause('No password can be used.', from))
  source.rules.protections.add({ ...source.placeOf(path), from, credentials })
}

/** The command line sends JSON, whatever the name. YAML comes from a folder that was published in another way. */
function isYamlWithoutRules(content: Uint8Array): boolean {
  const text = decodeText(content)
  const names = Object.keys(ruleMembers).join('|')
  const hasRules = new RegExp(`^["']?(?:${names})["']?\\s*:`, 'm').test(text) || speaksOfProtection(text)
  return !text.trimStart().startsWith('{') && !hasRules
}

function redirectOf(member: ReturnType<typeof redirectMember.parse>): Omit<RedirectRule, 'file' | 'line'> {
  const { from, to, status, force, query, language, country } = member
  const conditions = Object.entries(query ?? {})
  const languages = language === undefined ? undefined : [language].flat()
  const countries = country === undefined ? undefined : [country].flat()
  return {
    from,
    ...(conditions.length > 0 && { query: conditions }),
    ...(languages !== undefined && { languages: languages.map((one) => one.toLowerCase()) }),
    ...(countries !== undefined && { countries: countries.map((one) => one.toLowerCase()) }),
    to,
    status,
    ...(force === true && { force }),
  }
}

function addSettings(source: RuleSource, rules: RuleCollector): void {
  for (const name of ['htmlHandling', 'notFound', 'spa'] as const) {
    const given = source.members[name]
    if (given === undefined) continue
    const value = source.read<unknown>([name], given, ruleMembers[name])
    const place = source.placeOf([name])
    if (value === null) continue
    if (name === 'spa') rules.addSetting({ ...place, name: 'singlePage', value: value === true })
    else rules.addSetting({ ...place, name, value } as Parameters<typeof rules.addSetting>[0])
  }
}
