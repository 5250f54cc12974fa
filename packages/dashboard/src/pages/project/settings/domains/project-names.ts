import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useEveryDomain } from '../../../../data/domain-names.ts'
import type { useDomains } from '../../../../data/domains.ts'
import { defaultSubdomain } from './default-subdomain.ts'
import { type ShownName, shownNames } from './shown-name.ts'

export interface ProjectNames {
  /** The name under the platform domain that it always has. */
  own: string
  /** Its domains, then its own name. */
  all: string[]
  shown: ShownName
}

/** Every name of a project, also those that its list on the page does not show yet. */
export function useProjectNames(project: Project, list: ReturnType<typeof useDomains>): ProjectNames {
  const every = useEveryDomain(project.slug, list.hasNextPage)
  const shownOnPage: Domain[] = list.data ?? []
  const domains = list.hasNextPage ? (every.data ?? shownOnPage) : shownOnPage
  const own = defaultSubdomain(project)
  return { own, all: [...domains.map(({ hostname }) => hostname), own], shown: shownNames(domains) }
}
