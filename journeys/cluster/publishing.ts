import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { retainedDeployments } from '@masthead/contract/deployments.ts'
import type { ClusterAccount } from './cluster.ts'
import { archiveOf } from './sites.ts'

const patienceMs = 20_000
const pauseMs = 250

/** What became of the versions of a site that were sent. */
export interface SentVersions {
  /** The latest that was acknowledged. */
  acknowledged: number
  /** The latest that was sent. */
  sent: number
  /** Sent without an answer: they may be published, at any time later. */
  unclear: Set<number>
  /** The deployments that were acknowledged, with their version. */
  deployments: Map<string, { version: number; url: string }>
}

/** Publishes one version after the other, through one API node and then another. */
export async function publishVersions(
  { api }: ClusterAccount,
  slug: string,
  versions: SentVersions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await publishVersion({ api }, slug, versions)
    await sleep(pauseMs)
  }
}

export async function publishVersion(
  { api }: Pick<ClusterAccount, 'api'>,
  slug: string,
  versions: SentVersions,
): Promise<void> {
  const version = ++versions.sent
  try {
    const deployment = await api.next.createDeployment({
      params: { project: slug },
      archive: archiveOf({ slug, version }),
      type: 'application/gzip',
      signal: AbortSignal.timeout(patienceMs),
    })
    versions.acknowledged = version
    versions.deployments.set(deployment.id, { version, url: deployment.url })
  } catch {
    versions.unclear.add(version)
  }
}

export function noVersions(): SentVersions {
  return { acknowledged: 0, sent: 0, unclear: new Set(), deployments: new Map() }
}

/** Whether a page may have this version, asked for when `floor` was the latest acknowledged one. */
export function mayBeServed(version: number, floor: number, { sent, unclear }: SentVersions): boolean {
  return version <= sent && (version >= floor || unclear.has(version))
}

/** Every acknowledged deployment that a project keeps is known to every API node. */
export async function assertNothingLost(
  { api }: ClusterAccount,
  slug: string,
  { deployments }: SentVersions,
): Promise<void> {
  for (const client of api.each) {
    const known = new Set<string>()
    let cursor: string | undefined
    do {
      const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
      const page = await client.listDeployments({ params: { project: slug }, query })
      for (const { id, state } of page.items) if (state === 'ready') known.add(id)
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    // Ids sort by time, and a project keeps its latest.
    const oldest = known.size < retainedDeployments ? '' : ([...known].sort()[0] ?? '')
    const lost = [...deployments.keys()].filter((id) => id >= oldest && !known.has(id))
    assert.deepEqual(lost, [], `acknowledged deployments of ${slug} that are gone`)
  }
}
