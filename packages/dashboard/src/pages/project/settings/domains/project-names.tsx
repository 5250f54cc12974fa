import { coveringWildcard } from '@masthead/contract/domains/wildcards.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useAllDomains, type useDomains } from '../../../../data/domains.ts'
import { Select } from '../../../../ui/field.tsx'
import type { NameChoice } from './config/choices.ts'

export interface ProjectNames {
  /** The default subdomain, which every project keeps. */
  own: string
  /** The custom domains, then the default subdomain. */
  all: string[]
  shown: ShownName
  /** The branch that a domain shows; null: what is live. */
  branchOf: (hostname: string) => string | null
  /** The wildcard that would answer for a domain if it were removed. */
  coveringOf: (hostname: string) => string | null
}

/** Every hostname of a project, including domains that the paged list has not loaded. */
export function useProjectNames(project: Project, list: ReturnType<typeof useDomains>): ProjectNames {
  const every = useAllDomains(project.slug, list.hasNextPage)
  const shownOnPage: Domain[] = list.data ?? []
  const domains = list.hasNextPage ? (every.data ?? shownOnPage) : shownOnPage
  const own = defaultSubdomain(project)
  const branches = new Map(domains.map(({ hostname, branch }) => [hostname, branch]))
  return {
    own,
    all: [...domains.map(({ hostname }) => hostname), own],
    shown: shownNames(domains),
    branchOf: (hostname) => branches.get(hostname) ?? null,
    coveringOf: (hostname) => coveringWildcard(hostname, domains),
  }
}

/** Formats a domain of the project in Unicode. Other hostnames stay as they are. */
export type ShownName = (hostname: string) => string

function shownNames(domains: readonly Pick<Domain, 'hostname' | 'unicode'>[]): ShownName {
  const names = new Map(domains.map(({ hostname, unicode }) => [hostname, unicode]))
  return (hostname) => names.get(hostname) ?? hostname
}

/** Without scheme and port. */
export function defaultSubdomain({ url }: Pick<Project, 'url'>): string {
  return new URL(url).hostname
}

interface NameSelectProps {
  name?: string
  label: string
  labelHidden?: boolean
  choices: NameChoice[]
  chosen: string
  shown: ShownName
  onChoose: (name: string) => void
}

/** Disabled options say why, and others what to know. */
export function NameSelect({ choices, chosen, shown, onChoose, ...rest }: NameSelectProps) {
  const listed = choices.some(({ name }) => name === chosen)
  return (
    <Select {...rest} value={chosen} onChange={({ target }) => onChoose(target.value)}>
      {choices.map(({ name, not, note }) => {
        const remark = (name === chosen ? null : not) ?? note
        return (
          <option key={name} value={name} disabled={not !== null && name !== chosen}>
            {remark === undefined ? shown(name) : `${shown(name)} (${remark})`}
          </option>
        )
      })}
      {/* A domain that was removed meanwhile stays selected, and the API reports it. */}
      {!listed && <option value={chosen}>{shown(chosen)}</option>}
    </Select>
  )
}
