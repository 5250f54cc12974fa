import type { SiteRule } from '../schemas/site-rule.ts'
import { fileOf } from './redirect-list.ts'
import { type HeaderRule, headersFile, type RedirectRule, type RuleSetting, type SiteRules } from './rules.ts'

const pairs = (list: readonly (readonly [string, string])[]) => list.map(([name, value]) => ({ name, value }))

const nothing = {
  from: null,
  to: null,
  name: null,
  status: null,
  force: false,
  query: [],
  languages: [],
  set: [],
  unset: [],
}

/** A rule as the API shows it. */
export function showRedirect(rule: RedirectRule): SiteRule {
  const { line, from, to, status, force = false, query = [], languages = [] } = rule
  const conditions = { query: pairs(query), languages: [...languages] }
  return { ...nothing, kind: 'redirect', file: fileOf(rule), line, from, to, status, force, ...conditions }
}

export function showHeaders({ file = headersFile, line, from, set, unset }: HeaderRule): SiteRule {
  return { ...nothing, kind: 'headers', file, line, from, set: pairs(set), unset: [...unset] }
}

export function showSetting({ file, line, name, value }: RuleSetting): SiteRule {
  return { ...nothing, kind: 'setting', file, line, name, to: String(value) }
}

/** In the order in which they are read. `contains` ignores case. */
export function showRules({ redirects, headers, settings = [] }: SiteRules, contains = ''): SiteRule[] {
  const all = [...settings.map(showSetting), ...redirects.map(showRedirect), ...headers.map(showHeaders)]
  const wanted = contains.toLowerCase()
  return wanted === '' ? all : all.filter((rule) => textOf(rule).includes(wanted))
}

function textOf({ file, from, to, name, status, set, unset }: SiteRule): string {
  const words = [file, from, to, name, status, ...set.flatMap((one) => [one.name, one.value]), ...unset]
  return words.join('\n').toLowerCase()
}
