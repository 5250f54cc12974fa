import type { Client } from '@masthead/client/client.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { applyConfig } from '../domains/apply-config.ts'
import type { ProjectFile } from '../project/project-file.ts'
import type { Output } from '../terminal/output.ts'

export interface DomainsApplied {
  /** Undefined if the file has no domains for this project. */
  domainsChanged?: boolean
  /** Returned rather than thrown: the site is already published. */
  failure?: unknown
}

interface Applying {
  client: Client
  project: Project
  file: ProjectFile | null
  out: Output
  signal: AbortSignal
}

/** Sets the primary domain and the redirects as the project file has them. */
export async function applyDomains({
  client,
  project,
  file,
  out,
  signal,
}: Applying): Promise<DomainsApplied> {
  const domains = file?.members.domains
  if (file === null || domains === undefined) return {}
  const owner = file.members.project
  if (owner !== undefined && owner !== project.slug && owner !== project.id) {
    out.note(`The domains in ${file.name} belong to ${owner} and were not changed.`)
    return {}
  }
  try {
    const { changed } = await applyConfig(() => domains, {
      client,
      params: { project: project.slug },
      out,
      signal,
      where: (path) => `${file.name} line ${file.lineOf(path)}`,
    })
    return { domainsChanged: changed }
  } catch (failure) {
    signal.throwIfAborted()
    out.note(`${project.slug} is published, but its domains were not changed.`)
    return { domainsChanged: false, failure }
  }
}
