import { createClient } from '@masthead/client/client.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { fetchWithProgress } from './fetch-with-progress.ts'
import { Publication } from './publication.ts'
import { holdPublication } from './publications.ts'
import type { Site } from './site.ts'

/** Begins to publish a site to a project; the pages follow it by `usePublication`. */
export function startPublication({ id, accountId }: Pick<Project, 'id' | 'accountId'>, site: Site): void {
  // Uploads are patient: a limit is waited for, and a lost connection is tried again.
  const clientTelling = (sent: (fraction: number) => void) =>
    createClient({ server: location.origin, account: accountId, fetch: fetchWithProgress(sent) })
  const publication = new Publication(site, { project: id, clientTelling })
  holdPublication(id, publication)
  void publication.run()
}
