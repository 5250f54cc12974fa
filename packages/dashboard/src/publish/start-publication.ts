import { createClient } from '@masthead/client/client.ts'
import { fetchWithProgress } from './fetch-with-progress.ts'
import { Publication } from './publication.ts'
import { holdPublication } from './publications.ts'
import type { Site } from './site.ts'

/** Begins to publish a site to a project, by its id; the pages follow it by `usePublication`. */
export function startPublication(project: string, site: Site): void {
  const publication = new Publication(site, { project, clientTelling })
  holdPublication(project, publication)
  void publication.run()
}

/** Uploads are patient: a limit is waited for, and a lost connection is tried again. */
function clientTelling(sent: (fraction: number) => void) {
  return createClient({ server: location.origin, fetch: fetchWithProgress(sent) })
}
