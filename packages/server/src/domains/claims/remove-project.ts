import type { Id } from '@masthead/contract/schemas/fields.ts'
import { cancelCertificates } from '../../certificates/jobs/request-certificate.ts'
import type { Tx } from '../../database/database.ts'
import { removeProjectIn, removeRemainsIn } from '../../deployments/remove-deployments.ts'
import type { EventActor } from '../../events/record-event.ts'
import { revokeKeysOfProject } from '../../keys/manage-keys.ts'
import { lockHiddenProject, lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { lockHostnames } from '../locks.ts'
import { countDomains, domainsOfProject } from '../store.ts'
import { replaceWithTombstone } from './tombstones.ts'

type RemovalContext = Pick<DomainContext, 'database' | 'changes' | 'now' | 'addresses'>

/** Per transaction. Other writers wait for it, and on SQLite everybody does. */
const domainsAtOnce = 25

/**
 * Deletes a project with its deployments and domains. None of it is served after the first transaction, which also
 * releases the slug. If the process dies in between, `removeLeftovers` does the rest.
 */
export async function removeProject(
  context: RemovalContext,
  { project, by }: { project: ProjectRow; by: EventActor },
): Promise<void> {
  const { database, now, addresses } = context
  const isGone = await database.write(async (tx) => {
    const at = now()
    const { slug } = (await lockProject(database, tx, project.id)) ?? project
    const { domains, hasMore } = await removeSomeDomains(context, tx, { projectId: project.id, by, at })
    await revokeKeysOfProject(tx, { accountId: project.account_id, projectId: project.id })
    const removed = await removeProjectIn(context, tx, { project, by, at, hasMore })
    await stopServing(context, tx, domains, at)
    const own = [addresses.project(slug), ...removed.ready.map((id) => addresses.preview(id, slug))]
    await cancelCertificates(
      context,
      tx,
      own.map((address) => new URL(address).hostname),
    )
    return removed.isGone
  })
  if (!isGone) await removeRemains(context, project.id, by)
}

/** Removes what is left of a project that is hidden already. */
export async function removeRemains(
  context: RemovalContext,
  projectId: Id<'project'>,
  by: EventActor,
): Promise<void> {
  const { database, now } = context
  const removeSome = async (tx: Tx): Promise<boolean> => {
    const at = now()
    if (!(await lockHiddenProject(database, tx, projectId))) return true
    const { domains, hasMore } = await removeSomeDomains(context, tx, { projectId, by, at })
    const isGone = await removeRemainsIn(tx, projectId, { hasMore })
    await stopServing(context, tx, domains, at)
    return isGone
  }
  while (!(await database.write(removeSome)));
}

/** Call `stopServing` with them once all other locks are taken. */
async function removeSomeDomains(
  { database }: RemovalContext,
  tx: Tx,
  { projectId, by, at }: { projectId: Id<'project'>; by: EventActor; at: number },
): Promise<{ domains: DomainRow[]; hasMore: boolean }> {
  const readSome = () => domainsOfProject(tx, projectId, undefined, domainsAtOnce)
  const hostnames = (await readSome()).map(({ hostname }) => hostname)
  await lockHostnames(database, tx, hostnames)
  const domains = (await readSome()).filter(({ hostname }) => hostnames.includes(hostname))
  for (const row of domains) await replaceWithTombstone(tx, row, by, at)
  return { domains, hasMore: (await countDomains(tx, projectId)) > 0 }
}

async function stopServing(
  context: RemovalContext,
  tx: Tx,
  domains: readonly DomainRow[],
  at: number,
): Promise<void> {
  for (const { hostname } of domains) {
    await context.changes.record(tx, { kind: 'domain_stopped', subject: hostname })
  }
  for (const before of domains) await applyCertificateNeed(context, tx, { before, after: null, at })
}
