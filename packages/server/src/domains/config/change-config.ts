import type { DomainConfig, DomainConfigInput } from '@masthead/contract/schemas/domains/domain-config.ts'
import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import { normalizeHostname } from '../hostname.ts'
import { lockHostnames } from '../locks.ts'
import { domainsOfProject } from '../store.ts'
import {
  type ConfigIssue,
  configIssues,
  defaultSubdomain,
  type NamedConfig,
  refuseMatchingTag,
  requireMatchingTag,
  type StoredConfig,
  toNamed,
  toStored,
  touchedNames,
  withoutDomain,
} from './domain-config.ts'
import { recordConfigChange, recordTouchedNames } from './record-changes.ts'
import { findConfig, storeConfig } from './store.ts'

export interface PutConfig {
  project: ProjectRow
  input: DomainConfigInput
  by: EventActor
  /** The `If-Match` header; without it the configuration is replaced whatever it is now. */
  ifMatch?: string | undefined
  /** The `If-None-Match` header: every project has a configuration, so `*` always refuses. */
  ifNoneMatch?: string | undefined
}

/** Replaces the whole configuration, or nothing of it. */
export function putConfig(
  context: DomainContext,
  { project, input, by, ifMatch, ifNoneMatch }: PutConfig,
): Promise<DomainConfig> {
  const { database, naming, now } = context
  return database.write(async (tx) => {
    const at = now()
    const current = await lockProject(database, tx, project.id)
    if (current === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    const own = defaultSubdomain(current, naming)
    const domains = normalizeConfig(input.domains)
    const before = await findConfig(tx, current.id)
    refuseMatchingTag(ifNoneMatch, toNamed(before, own))
    requireMatchingTag(ifMatch, { current: toNamed(before, own), wanted: domains })
    const attached = new Set((await domainsOfProject(tx, current.id)).map(({ hostname }) => hostname))
    const errors = configIssues(domains, { attached, defaultSubdomain: own })
    if (errors.length > 0) throw configInvalid(errors)

    const config = toStored(domains, own)
    // Redirects depend on whether their targets are served, which must not change before the commit.
    await lockHostnames(database, tx, targetsOf(config))
    await storeConfig(tx, current, config, at)
    await recordConfigChange(tx, { project: current, before, after: config, own, by, at })
    const event = { accountId: current.account_id, projectId: current.id, by, at }
    const data = { primary: domains.primary, redirects: domains.redirects.length }
    await recordEvent(tx, { ...event, type: 'domain.config_changed', data })
    await recordTouchedNames(context, tx, current.slug, touchedNames(before, config))
    return { domains }
  })
}

function configInvalid(errors: ConfigIssue[]): Problem {
  const detail = `${errors[0]?.message}. Nothing was changed.`
  return new Problem('domain_config_invalid', detail, { extra: { errors } })
}

function targetsOf({ redirects }: StoredConfig): string[] {
  return [...new Set(redirects.flatMap(({ to }) => to ?? []))]
}

/** What is not a hostname stays as typed, and is then rejected as not a domain of the project. */
function normalizeConfig({ primary, redirects }: NamedConfig): NamedConfig {
  const name = (typed: string) => normalizeHostname(typed) ?? typed
  return {
    primary: name(primary),
    redirects: redirects.map(({ from, to, status }) => ({ from: name(from), to: name(to), status })),
  }
}

export interface DetachInput {
  project: ProjectRow
  hostname: string
  by: EventActor
  at: number
}

/** Removes a domain from its project's configuration. `touched` are the other names that no longer redirect. */
export async function detachFromConfig(
  { naming }: Pick<DomainContext, 'naming'>,
  tx: Tx,
  { project, hostname, by, at }: DetachInput,
): Promise<{ before: StoredConfig; touched: (string | null)[] }> {
  const before = await findConfig(tx, project.id)
  const after = withoutDomain(before, hostname)
  if (after.primary !== before.primary || after.redirects.length < before.redirects.length) {
    await storeConfig(tx, project, after, at)
    await recordConfigChange(tx, { project, before, after, own: defaultSubdomain(project, naming), by, at })
  }
  return { before, touched: touchedNames(before, after).filter((name) => name !== hostname) }
}
