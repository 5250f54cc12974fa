import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { deploymentsKey } from '../../../data/deployments.ts'
import { projectKey, projectsKey } from '../../../data/projects.ts'
import type { PublicationView } from '../../../publish/publication-view.ts'

/** What a publication changed is asked for at its end; the stream of changes may be away. */
export function useFreshAfter(slug: string, publication: PublicationView | null): void {
  const queries = useQueryClient()
  const done = publication?.step === 'done'
  useEffect(() => {
    if (!done) return
    for (const queryKey of [projectKey(slug), projectsKey, deploymentsKey(slug)]) {
      void queries.invalidateQueries({ queryKey })
    }
  }, [queries, slug, done])
}
