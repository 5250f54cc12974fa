import { createClient } from '@masthead/client/client.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { fetchWithProgress } from './fetch-with-progress.ts'
import { Publication } from './publication.ts'
import { holdPublication } from './publications.ts'
import type { Site } from './site.ts'

type PublishedTo = Pick<Project, 'id' | 'accountId' | 'slug' | 'name'>

/** Begins to publish a site to a project; the pages follow it by `usePublication`. */
export function startPublication(project: PublishedTo, site: Site, { goLive }: { goLive: boolean }): void {
  const to = { server: location.origin, account: project.accountId }
  // Uploads are patient: a limit is waited for, and a lost connection is tried again.
  const clientTelling = (sent: (fraction: number) => void) =>
    createClient({ ...to, fetch: fetchWithProgress(sent) })
  const partingClient = createClient({
    ...to,
    fetch: (url, init) => fetch(url, { ...init, keepalive: true }),
  })
  const publication = new Publication(site, { project: project.id, clientTelling, partingClient, goLive })
  holdPublication(project, publication)
  void publication.run()
}
