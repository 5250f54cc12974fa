import { defaultProductionBranch } from '@masthead/contract/deployments.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { NewProject } from '@masthead/contract/schemas/project.ts'
import type { Context } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { newId } from '../kernel/ids.ts'
import { claimSlug, lockSlugs, slugTaken } from './slugs.ts'
import { insertProject, type ProjectRow } from './store.ts'

export interface ProjectContext extends Context {
  changes: ChangeFeed
}

type OptionalSetting =
  | 'strictTransportSecurity'
  | 'immutableAssets'
  | 'staleWhileRevalidate'
  | 'productionBranch'

export interface CreateProjectInput
  extends Omit<NewProject, OptionalSetting>,
    Partial<Pick<NewProject, OptionalSetting>> {
  accountId: Id<'account'>
  by: EventActor
}

export function createProject(
  { database, now, changes }: ProjectContext,
  input: CreateProjectInput,
): Promise<ProjectRow> {
  return database.write(async (tx) => {
    const at = now()
    await lockSlugs(database, tx, [input.slug])
    const row: ProjectRow = {
      id: newId('project', at),
      account_id: input.accountId,
      slug: input.slug,
      name: input.name ?? input.slug,
      html_handling: input.htmlHandling,
      single_page: input.singlePage ? 1 : 0,
      strict_transport: input.strictTransportSecurity === true ? 1 : 0,
      immutable_assets: input.immutableAssets === false ? 0 : 1,
      stale_while_revalidate: input.staleWhileRevalidate ?? 0,
      protection: null,
      production_branch: input.productionBranch ?? defaultProductionBranch,
      active_deployment_id: null,
      created_at: at,
      updated_at: at,
      takedown_at: null,
      takedown_reason: null,
      takedown_status: null,
    }
    if (!(await insertProject(tx, row))) throw slugTaken(input.slug)
    await claimSlug(tx, { slug: row.slug, accountId: input.accountId, at })
    await changes.record(tx, { kind: 'project', subject: row.slug })
    const { accountId, by } = input
    const data = { slug: row.slug }
    await recordEvent(tx, { accountId, type: 'project.created', by, at, projectId: row.id, data })
    return row
  })
}
