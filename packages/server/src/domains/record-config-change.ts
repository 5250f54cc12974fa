import type { Tx } from '../database/database.ts'
import type { EventActor } from '../events/record-event.ts'
import type { ProjectRow } from '../projects/project.ts'
import { type Config, type Redirect, redirectOf } from './domain-config.ts'
import { recordTimeline } from './timeline.ts'

export interface ConfigChange {
  project: Pick<ProjectRow, 'account_id'>
  before: Config
  after: Config
  /** The name that stands for null: the default subdomain, which has no timeline itself. */
  own: string
  by: EventActor
  at: number
}

/** Notes a change of a project's configuration in the timeline of every domain that it concerns: what was, what is. */
export async function recordConfigChange(tx: Tx, change: ConfigChange): Promise<void> {
  const { project, before, after, own, by, at } = change
  const note = (hostname: string, kind: 'primary_changed' | 'redirect_changed', data: object) => {
    const domain = { account_id: project.account_id, hostname }
    return recordTimeline(tx, { domain, kind, at, by, data: { ...data } })
  }
  if (before.primary !== after.primary) {
    const data = { was: before.primary ?? own, is: after.primary ?? own }
    for (const name of [before.primary, after.primary]) {
      if (name !== null) await note(name, 'primary_changed', data)
    }
  }
  const leadsTo = (redirect: Redirect | undefined) =>
    redirect === undefined ? null : { to: redirect.to ?? own, status: redirect.status }
  for (const from of redirecting(before, after)) {
    const was = leadsTo(redirectOf(before.redirects, from))
    const is = leadsTo(redirectOf(after.redirects, from))
    if (was?.to !== is?.to || was?.status !== is?.status) await note(from, 'redirect_changed', { was, is })
  }
}

function redirecting(...configs: Config[]): Set<string> {
  return new Set(configs.flatMap(({ redirects }) => redirects.flatMap(({ from }) => from ?? [])))
}
