import type { DomainConfig, DomainConfigInput } from '@masthead/contract/schemas/domain-config.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import { lockProject } from '../projects/lock-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { findConfig, storeConfig } from './config-store.ts'
import { refuseUnlessSeen } from './config-tag.ts'
import type { DomainContext } from './context.ts'
import {
  type Config,
  type ConfigFault,
  configFaults,
  type NamedConfig,
  toNamed,
  toStored,
} from './domain-config.ts'
import { lockHostnames } from './lock-hostname.ts'
import { namedHostname } from './named-hostname.ts'
import { defaultSubdomain } from './read-config.ts'
import { changeOf } from './record-change.ts'
import { recordConfigChange } from './record-config-change.ts'
import { domainsOfProject } from './store.ts'

export interface PutConfig {
  project: ProjectRow
  input: DomainConfigInput
  by: EventActor
  /** The tags of what the change was decided on; without them whatever is there is replaced. */
  ifMatch?: string | undefined
}

/** Replaces the whole configuration, or nothing of it. */
export function putConfig(
  { database, changes, naming, now }: DomainContext,
  { project, input, by, ifMatch }: PutConfig,
): Promise<DomainConfig> {
  return database.write(async (tx) => {
    const at = now()
    const current = await lockProject(database, tx, project.id)
    if (current === undefined) throw new Problem('not_found', `There is no project ${project.slug}.`)
    const own = defaultSubdomain(current, naming)
    const domains = inNormalForm(input.domains)
    const before = await findConfig(tx, current.id)
    refuseUnlessSeen(ifMatch, { current: toNamed(before, own), wanted: domains })
    const attached = new Set((await domainsOfProject(tx, current.id)).map(({ hostname }) => hostname))
    const errors = configFaults(domains, { attached, defaultSubdomain: own })
    if (errors.length > 0) throw notAccepted(errors)

    const config = toStored(domains, own)
    // A redirect follows whether its target is served: that must not change while this is written.
    await lockHostnames(database, tx, targetsOf(config))
    await storeConfig(tx, current.id, config, at)
    await recordConfigChange(tx, { project: current, before, after: config, own, by, at })
    const event = { accountId: current.account_id, projectId: current.id, by, at }
    const data = { primary: domains.primary, redirects: domains.redirects.length }
    await recordEvent(tx, { ...event, type: 'domain.config_changed', data })
    for (const name of redirecting(before, config)) await changes.record(tx, changeOf(name, current.slug))
    return { domains }
  })
}

function notAccepted(errors: ConfigFault[]): Problem {
  const detail = `${errors[0]?.message}. Nothing was changed.`
  return new Problem('domain_config_invalid', detail, { extra: { errors } })
}

function targetsOf({ redirects }: Config): string[] {
  return [...new Set(redirects.flatMap(({ to }) => to ?? []))]
}

/** The names that redirect before or after: only they are shown differently. */
function redirecting(...configs: Config[]): Set<string | null> {
  return new Set(configs.flatMap(({ redirects }) => redirects.map(({ from }) => from)))
}

/** What is no name at all stays as it was typed, and then is no domain of the project. */
function inNormalForm({ primary, redirects }: NamedConfig): NamedConfig {
  const name = (typed: string) => namedHostname(typed) ?? typed
  return {
    primary: name(primary),
    redirects: redirects.map(({ from, to, status }) => ({ from: name(from), to: name(to), status })),
  }
}
