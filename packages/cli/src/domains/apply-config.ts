import type { Client } from '@masthead/client/client.ts'
import { pages } from '@masthead/client/pages.ts'
import { ProblemError } from '@masthead/client/problem-error.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import type { Output } from '../output.ts'
import { valueAt } from '../value-at.ts'
import { configDifference, type Domains, differenceLines } from './config-difference.ts'
import { storedName } from './typed-name.ts'

export interface Applying {
  client: Client
  params: { project: string }
  out: Output
  signal: AbortSignal
  /** Where a member stands, for errors: `masthead.yaml line 7`. */
  where?(path: readonly string[]): string
}

export interface Applied extends DomainConfig {
  changed: boolean
}

/** Others are as quick as we are now and then, not time after time. */
const mostAttempts = 4

/** Shows how the primary domain and the redirects would change, then changes them; silent where nothing would. */
export async function applyConfig(
  wanted: (current: Domains) => Domains,
  applying: Applying,
): Promise<Applied> {
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
      if (!isOvertaken(error) || attempt === mostAttempts) return await explain(error, domains, applying)
      out.note('Somebody else changed them at this moment. Once more, from what they are now:')
    }
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'domain_config_changed'
}

/** The same refusal, with the lines that it is about, and the names that have to be added first. */
async function explain(error: unknown, domains: Domains, applying: Applying): Promise<never> {
  if (!(error instanceof ProblemError) || error.errors.length === 0) throw error
  const { client, params, signal, where } = applying
  const attached = new Set<string>()
  for await (const { hostname } of pages(client.listDomains, { params, query: { limit: 100 }, signal })) {
    attached.add(hostname)
  }
  const { url } = await client.getProject({ params, signal })
  attached.add(storedName(url))
  const named = error.errors.map(({ path }) => valueAt({ domains }, path.split('.')))
  const unattached = named.filter((name) => typeof name === 'string' && !attached.has(storedName(name)))
  throw new ProblemError({
    ...error.document,
    errors: error.errors.map(({ path, message }) => ({
      path: where === undefined ? path : `${where(path.split('.'))}, ${path}`,
      message,
    })),
    unattached: [...new Set(unattached)],
  })
}
