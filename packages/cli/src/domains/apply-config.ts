import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import { paginate } from '@masthead/client/paginate.ts'
import { valueAt } from '@masthead/contract/project-file/member-path.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import { alignColumns } from '../terminal/layout.ts'
import type { Output, Paint } from '../terminal/output.ts'
import { canonicalHostname } from './hostname.ts'

export type Domains = DomainConfig['domains']
type Redirect = Domains['redirects'][number]

export interface ConfigDiffLine {
  sign: '-' | '+'
  what: 'primary' | 'redirect'
  text: string
}

/** The changes between two configurations. Different spellings of a name are equal. */
export function configDifference(current: Domains, wanted: Domains): ConfigDiffLine[] {
  const changes: ConfigDiffLine[] = []
  if (canonicalHostname(current.primary) !== canonicalHostname(wanted.primary)) {
    changes.push({ sign: '-', what: 'primary', text: canonicalHostname(current.primary) })
    changes.push({ sign: '+', what: 'primary', text: canonicalHostname(wanted.primary) })
  }
  const before = byName(current.redirects)
  const after = byName(wanted.redirects)
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const texts = [before.get(name) ?? [], after.get(name) ?? []] as const
    if (texts[0].map(identity).join() === texts[1].map(identity).join()) continue
    for (const old of texts[0]) changes.push({ sign: '-', what: 'redirect', text: redirectText(old) })
    for (const next of texts[1]) changes.push({ sign: '+', what: 'redirect', text: redirectText(next) })
  }
  return changes
}

function differenceLines(changes: readonly ConfigDiffLine[], paint: Paint): string[] {
  const rows = changes.map(({ sign, what, text }) => [
    paint(sign === '+' ? 'green' : 'red', sign),
    what,
    paint(sign === '+' ? 'green' : 'red', text),
  ])
  return alignColumns(rows).map((line) => `  ${line}`)
}

function redirectText({ from, to, status }: Redirect): string {
  return `${canonicalHostname(from)} → ${canonicalHostname(to)} (${status})`
}

/** Keeps duplicates, so that the server can reject them. */
function byName(redirects: readonly Redirect[]): Map<string, Redirect[]> {
  const named = new Map<string, Redirect[]>()
  for (const redirect of redirects) {
    const name = canonicalHostname(redirect.from)
    named.set(name, [...(named.get(name) ?? []), redirect])
  }
  return named
}

function identity({ to, status }: Redirect): string {
  return `${canonicalHostname(to)} ${status}`
}

export interface ApplyOptions {
  client: Client
  params: { project: string }
  out: Output
  signal: AbortSignal
  /** The position of a setting, for errors: `masthead.yaml line 7`. */
  where?(path: readonly string[]): string
}

export interface AppliedConfig extends DomainConfig {
  changed: boolean
}

/** Conflicting changes are rare, so a few attempts are enough. */
const maxAttempts = 4

/** Prints and applies the changes to the primary domain and the redirects. Silent if there are none. */
export async function applyConfig(
  wanted: (current: Domains) => Domains,
  applying: ApplyOptions,
): Promise<AppliedConfig> {
  const { client, params, out, signal } = applying
  for (let attempt = 1; ; attempt++) {
    const { domains: current, etag } = await client.getDomainConfig({ params, signal })
    const domains = wanted(current)
    const changes = configDifference(current, domains)
    if (changes.length === 0) return { domains: current, changed: false }
    out.note(`Domains of ${params.project}:`)
    for (const line of differenceLines(changes, (style, part) => out.noteStyle(style, part))) out.note(line)
    try {
      const applied = await client.putDomainConfig({ params, body: { domains }, ifMatch: etag, signal })
      out.note(out.noteStyle('green', 'Applied.'))
      return { domains: applied.domains, changed: true }
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) return await explain(error, domains, applying)
      out.note('Someone else changed the domains at the same time. Trying again with the current ones:')
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'domain_config_changed'
}

/** Adds line numbers and the domains that must be added first to the server's error. */
async function explain(error: unknown, domains: Domains, applying: ApplyOptions): Promise<never> {
  if (!(error instanceof ProblemError) || error.errors.length === 0) throw error
  const { client, params, signal, where } = applying
  const attached = new Set<string>()
  for await (const { hostname } of paginate(client.listDomains, { params, query: { limit: 100 }, signal })) {
    attached.add(hostname)
  }
  const { url } = await client.getProject({ params, signal })
  attached.add(canonicalHostname(url))
  const named = error.errors.map(({ path }) => valueAt({ domains }, path.split('.')))
  const unattached = named.filter(
    (name) => typeof name === 'string' && !attached.has(canonicalHostname(name)),
  )
  throw new ProblemError({
    ...error.document,
    errors: error.errors.map(({ path, message }) => ({
      path: where === undefined ? path : `${where(path.split('.'))}, ${path}`,
      message,
    })),
    unattached: [...new Set(unattached)],
  })
}
