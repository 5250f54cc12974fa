import { projectFileFaults, unknownMember } from '../../project-file/faults.ts'
import type { MemberPath } from '../../project-file/member-path.ts'
import { projectFile } from '../../project-file.ts'
import { headerNameProblem, headerProblem } from '../header-list.ts'
import { parsePattern } from '../pattern.ts'
import type { RuleCollector } from '../rule-collector.ts'
import type { HeaderRule, RedirectRule } from '../rules.ts'
import { type JsonSource, readJsonSource } from './json-source.ts'
import { headersMember, redirectMember, ruleMembers } from './rule-members.ts'

/** Reads the members of masthead.json that say how the site is served. The others are for the command line. */
export function readMastheadFile(content: Uint8Array, file: string, rules: RuleCollector): void {
  if (!file.endsWith('.json') && isYamlWithoutRules(content)) return
  const source = readJsonSource(content, file, rules, {
    notJson: file.endsWith('.json')
      ? 'Fix it, or create it again with `masthead init`.'
      : 'Only `masthead deploy` reads YAML. Publish with it, or write masthead.json instead.',
  })
  if (source === null) return
  for (const name of Object.keys(source.members)) {
    if (name in projectFile.shape) continue
    source.report('warning', [name], unknownMember([], name).message)
  }
  for (const [at, entry] of source.entriesOf('redirects')) {
    const read = redirectMember.safeParse(entry)
    if (!read.success) reportFaults(source, read.error.issues, entry, ['redirects', at])
    else rules.redirects.add(redirectOf(read.data, source.placeOf(['redirects', at])))
    if (rules.redirects.excess !== null) return
  }
  for (const [at, entry] of source.entriesOf('headers')) {
    const read = headersMember.safeParse(entry)
    if (!read.success) reportFaults(source, read.error.issues, entry, ['headers', at])
    else addHeaders(source, rules, read.data, ['headers', at])
    if (rules.headers.excess !== null) return
  }
  addSettings(source, rules)
}

/** The command line sends JSON, whatever the name. YAML comes from a folder that was published in another way. */
function isYamlWithoutRules(content: Uint8Array): boolean {
  const text = new TextDecoder().decode(content)
  const names = Object.keys(ruleMembers).join('|')
  return !text.trimStart().startsWith('{') && !new RegExp(`^["']?(?:${names})["']?\\s*:`, 'm').test(text)
}

type RedirectMember = ReturnType<typeof redirectMember.parse>
type HeadersMember = ReturnType<typeof headersMember.parse>
type Place = Required<Pick<RedirectRule, 'file' | 'line'>>

function redirectOf(
  { from, to, status, force, query, language }: RedirectMember,
  place: Place,
): RedirectRule {
  const conditions = Object.entries(query ?? {})
  const languages = typeof language === 'string' ? [language] : language
  return {
    ...place,
    from,
    ...(conditions.length > 0 && { query: conditions }),
    ...(languages !== undefined && { languages: languages.map((one) => one.toLowerCase()) }),
    to,
    status,
    ...(force === true && { force }),
  }
}

function addHeaders(source: JsonSource, rules: RuleCollector, member: HeadersMember, path: MemberPath): void {
  const { for: from, values } = member
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') {
    source.report('error', path, pattern)
    return
  }
  const unset: string[] = []
  const set: [string, string][] = []
  for (const [name, given] of Object.entries(values)) {
    const all = given === null ? [] : [given].flat()
    const problems = given === null ? [headerNameProblem(name)] : all.map((one) => headerProblem(name, one))
    const problem = problems.find((one) => one !== null)
    if (problem !== undefined && problem !== null) source.report('error', path, problem)
    else if (given === null) unset.push(name)
    else for (const value of all) set.push([name, value])
  }
  const rule: HeaderRule = { ...source.placeOf(path), from, unset, set }
  if (set.length + unset.length > 0) rules.headers.add(rule)
  else source.report('warning', path, `No headers are set for ${JSON.stringify(from)}.`)
}

function addSettings(source: JsonSource, rules: RuleCollector): void {
  for (const name of ['htmlHandling', 'notFound', 'spa'] as const) {
    const value = source.members[name]
    if (value === undefined) continue
    const read = ruleMembers[name].safeParse(value)
    const place = source.placeOf([name])
    if (!read.success) reportFaults(source, read.error.issues, value, [name])
    else if (name === 'spa') rules.addSetting({ ...place, name: 'singlePage', value: read.data === true })
    else rules.addSetting({ ...place, name, value: read.data } as Parameters<typeof rules.addSetting>[0])
  }
}

function reportFaults(source: JsonSource, issues: readonly object[], value: unknown, path: MemberPath): void {
  const [fault] = projectFileFaults(issues, value, path)
  if (fault !== undefined) source.report('error', path, fault.message)
}
