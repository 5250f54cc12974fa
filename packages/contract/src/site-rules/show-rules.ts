import type { SiteRule } from '../schemas/site-rule.ts'
import { fileOf } from './redirect-list.ts'
import {
  type HeaderRule,
  headersFile,
  type ProtectRule,
  type RedirectRule,
  type RuleSetting,
  type SiteRules,
} from './rules.ts'

const pairs = (list: readonly (readonly [string, string])[]) => list.map(([name, value]) => ({ name, value }))

const nothing = {
  from: null,
  to: null,
  name: null,
  status: null,
  force: false,
  query: [],
  languages: [],
  countries: [],
  users: [],
  set: [],
  unset: [],
}

/** A rule as the API shows it. */
export function showRedirect(rule: RedirectRule): SiteRule {
  const { line, to, status, force = false, query = [], languages = [], countries = [] } = rule
  const conditions = { query: pairs(query), languages: [...languages], countries: [...countries] }
  const from = sourceOf(rule)
  return { ...nothing, kind: 'redirect', file: fileOf(rule), line, from, to, status, force, ...conditions }
}

function showHeaders(rule: HeaderRule): SiteRule {
  const { file = headersFile, line, set, unset } = rule
  return {
    ...nothing,
    kind: 'headers',
    file,
    line,
    from: sourceOf(rule),
    set: pairs(set),
    unset: [...unset],
  }
}

/** With a `*` that needs something as vercel.json writes it. */
function sourceOf({ from, splat }: Pick<HeaderRule, 'from' | 'splat'>): string {
  return splat === undefined ? from : from.replace('*', splat === 'text' ? '(.+)' : '(.*)')
}

export function showSetting({ file, line, name, value }: RuleSetting): SiteRule {
  return { ...nothing, kind: 'setting', file, line, name, to: String(value) }
}

/** Without the passwords. */
function showProtection({ file = headersFile, line, from, credentials }: ProtectRule): SiteRule {
  const users = [...new Set(credentials.flatMap(({ user }) => user ?? []))]
  return { ...nothing, kind: 'protect', file, line, from, users }
}

/** In the order in which they are read. `contains` ignores case. */
export function showRules(rules: SiteRules, contains = ''): SiteRule[] {
  const { redirects, headers, settings = [], protect = [] } = rules
  const all = [
    ...settings.map(showSetting),
    ...protect.map(showProtection),
    ...redirects.map(showRedirect),
    ...headers.map(showHeaders),
  ]
  const wanted = contains.toLowerCase()
  return wanted === '' ? all : all.filter((rule) => textOf(rule).includes(wanted))
}

function textOf({ file, from, to, name, status, set, unset, users }: SiteRule): string {
  const words = [
    file,
    ...users,
    from,
    to,
    name,
    status,
    ...set.flatMap((one) => [one.name, one.value]),
    ...unset,
  ]
  return words.join('\n').toLowerCase()
}
