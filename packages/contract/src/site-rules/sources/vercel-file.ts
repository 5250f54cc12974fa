import { z } from 'zod'
import type { MemberPath } from '../../project-file/member-path.ts'
import type { Steps } from '../checks/in-steps.ts'
import { excerpt } from '../rule-lines.ts'
import { type RedirectRule, ruleStatuses } from '../rules.ts'
import { noFunctions } from '../target.ts'
import { refusedPassword } from './header-entries.ts'
import { readJsonSource } from './json-source.ts'
import { hasBasicAuth } from './protection-list.ts'
import type { RuleCollector } from './rule-collector.ts'
import type { RuleSource } from './rule-source.ts'
import { translateDestination, translateSource, type VercelSource, withoutSplat } from './vercel-path.ts'

const condition = z.object({ type: z.string(), key: z.string().optional(), value: z.unknown().optional() })
const conditions = { has: z.array(condition).optional(), missing: z.array(condition).optional() }
const redirect = z.object({
  source: z.string(),
  destination: z.string(),
  permanent: z.boolean().optional(),
  statusCode: z.number().optional(),
  ...conditions,
})
const rewrite = z.object({ source: z.string(), destination: z.string(), ...conditions })
const headers = z.object({
  source: z.string(),
  headers: z.array(z.object({ key: z.string(), value: z.string() })).max(1_000),
  ...conditions,
})

const elsewhere: ReadonlyMap<string, string> = new Map([
  ['functions', noFunctions],
  ['crons', 'Nothing is run on a schedule here.'],
  ['images', 'Images are not transformed here.'],
  ['routes', '"routes" is not read. Write "redirects", "rewrites" and "headers" instead.'],
])

/** Reads the redirects, rewrites and headers of vercel.json, and how it shows pages. */
export function* readVercelFile(content: Uint8Array, file: string, rules: RuleCollector): Steps {
  const source = readJsonSource(content, file, rules)
  if (source === null) return
  for (const [name, message] of elsewhere) {
    if (name in source.members) source.report(name === 'routes' ? 'error' : 'warning', [name], message)
  }
  addSettings(source, rules)
  for (const [path, entry] of source.entriesOf('redirects', redirect)) {
    const code = entry.statusCode ?? (entry.permanent === false ? 307 : 308)
    const status = ruleStatuses.find((one) => one === code && one !== 200 && one !== 404)
    if (status === undefined)
      source.report('error', path, `The status ${code} is not supported for redirects.`)
    // Before files, as there.
    else addRule(source, path, entry, { status, force: true })
    yield
  }
  for (const [path, entry] of source.entriesOf('rewrites', rewrite)) {
    addRule(source, path, entry, { status: 200 })
    yield
  }
  const refuse = (path: MemberPath, entry: unknown) => closeEntry(source, path, entry)
  for (const [path, entry] of source.entriesOf('headers', headers, refuse)) {
    const from = translateWithoutQuery(entry)
    if (typeof from === 'string') {
      source.report('error', path, from)
      refuse(path, entry)
      continue
    }
    const values = entry.headers.map(
      ({ key, value }) => [key, translateDestination(value, from.names)] as const,
    )
    source.addHeaders(path, from.from, values, from.splat ?? undefined)
    if (from.without !== null) source.addHeaders(path, from.without, values)
    yield
  }
}

type Conditions = {
  source: string
  has?: z.infer<typeof condition>[] | undefined
  missing?: unknown[] | undefined
}

function addRule(
  source: RuleSource,
  path: MemberPath,
  entry: Conditions & { destination: string },
  answer: Pick<RedirectRule, 'status' | 'force'>,
): void {
  const from = translate(entry)
  if (typeof from === 'string') {
    source.report('error', path, from)
    return
  }
  const to = translateDestination(entry.destination, from.names)
  const query = from.query.length > 0 ? { query: from.query } : {}
  const rule = { ...source.placeOf(path), ...query, ...answer }
  source.rules.redirects.add({ ...rule, from: from.from, ...(from.splat && { splat: from.splat }), to })
  if (from.without !== null) source.rules.redirects.add({ ...rule, from: from.without, to: withoutSplat(to) })
  if (from.above !== null && answer.force === true) warnOfHiddenPage(source, path, from.above)
}

/** There, visitors get the page without the slash, unless `trailingSlash` leads them to the rule as well. */
function warnOfHiddenPage(source: RuleSource, path: MemberPath, above: string): void {
  if (source.members.trailingSlash === true) return
  const page = source.rules.pageWithSlash(above)
  if (page === null) return
  const [without, slashed] = [excerpt(above), excerpt(`${above}/`)]
  const message = `Here ${without} leads to ${slashed}, where the rule applies, so visitors do not get ${excerpt(page)}.`
  source.report('warning', path, message)
}

interface Translated extends VercelSource {
  query: [string, string][]
}

/** The source of an entry with its conditions. Returns why it cannot be used. */
function translate({ source, has = [], missing = [] }: Conditions): Translated | string {
  const path = translateSource(source)
  if (typeof path === 'string') return path
  if (missing.length > 0)
    return '"missing" is not supported. Without it the rule would apply too often, so it is not used.'
  const translated: Translated = { ...path, query: [] }
  for (const { type, key = '', value } of has) {
    const host = type === 'host' && typeof value === 'string' ? value.replaceAll('\\.', '.') : ''
    if (/^[a-z0-9.-]+$/i.test(host)) {
      translated.from = `https://${host}${path.from}`
      if (path.without !== null) translated.without = `https://${host}${path.without}`
    } else if (type === 'query' && key !== '' && (value === undefined || typeof value === 'string')) {
      const wanted = queryValue(key, value)
      if (wanted === null)
        return `The value of the parameter ${key.slice(0, 50)} is a regular expression, which is not supported.`
      translated.query.push([key, wanted])
    } else {
      return `"has" with the type ${type.slice(0, 50)} is not supported here. Without it the rule would apply too often, so it is not used.`
    }
  }
  return translated
}

function translateWithoutQuery(entry: Conditions): Translated | string {
  const from = translate(entry)
  return typeof from === 'string' || from.query.length === 0
    ? from
    : 'Headers cannot depend on the query here.'
}

/** Closes the path of an entry that cannot be used, or everything if the path cannot be used either. */
function closeEntry(source: RuleSource, path: MemberPath, entry: unknown): void {
  if (!hasBasicAuth(entry)) return
  const given = (entry as { source?: unknown } | null)?.source
  const from = typeof given === 'string' ? translateSource(given) : ''
  source.close(path, typeof from === 'string' ? '/*' : from.from, refusedPassword)
}

/** What a parameter must be: text, or `:name` for anything. */
function queryValue(key: string, value: string | undefined): string | null {
  // There, a name that cannot be a parameter loses all but its letters.
  if (value === undefined)
    return `:${/^[A-Za-z]\w*$/.test(key) ? key : key.replace(/[^A-Za-z]/g, '') || 'any'}`
  const named = /^\(\?<([A-Za-z]\w*)>\.[*+]\)$/.exec(value)?.[1]
  if (named !== undefined) return `:${named}`
  return /^[\w ~%@=-]*$/.test(value) ? value : null
}

/** There, pages keep `.html` unless `cleanUrls` is set; slashes are left alone unless `trailingSlash` is. */
function addSettings(source: RuleSource, rules: RuleCollector): void {
  const { cleanUrls, trailingSlash } = source.members
  for (const [name, value] of Object.entries({ cleanUrls, trailingSlash })) {
    if (value !== undefined && typeof value !== 'boolean') {
      source.report('error', [name], `"${name}" is neither true nor false.`)
    }
  }
  const name = typeof trailingSlash === 'boolean' ? 'trailingSlash' : 'cleanUrls'
  const place = source.placeOf([name])
  if (typeof trailingSlash === 'boolean') {
    const value = trailingSlash ? 'force-trailing-slash' : 'drop-trailing-slash'
    rules.addSetting({ ...place, name: 'htmlHandling', value })
    if (cleanUrls !== true) source.report('warning', [name], losesExtension)
  } else if (cleanUrls === true) {
    rules.addSetting({ ...place, name: 'htmlHandling', value: 'auto' })
  } else if (cleanUrls === false && rules.htmlHandling !== 'none') {
    // `none` would keep the extension, and not find `/docs` without its slash, which works there.
    source.report('warning', [name], losesExtension)
  }
}

const losesExtension = 'Here pages also lose their .html: /about.html leads to the path without it.'
