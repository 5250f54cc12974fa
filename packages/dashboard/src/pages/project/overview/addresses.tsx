import type { Project } from '@masthead/contract/schemas/project.ts'
import { SiteAddress } from '../../../site-address.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { dateWords } from '../settings/domains/date-words.ts'

/** The address to give to people and, where that is a domain of their own, the one that every project keeps. */
export function ProjectAddresses({ project }: { project: Project }) {
  const { url, primaryUrl, slugUsedUntil } = project
  return (
    <>
      <span className="flex items-center gap-3">
        <SiteAddress url={primaryUrl} />
        <Copy text={primaryUrl} what="the address" />
      </span>
      {url !== primaryUrl && (
        <span className="mt-1 block text-small text-soft">
          Default subdomain <SiteAddress url={url} />
        </span>
      )}
      {slugUsedUntil !== undefined && (
        <span className="mt-1 block text-small text-soft">
          Another account used this slug until {dateWords(slugUsedUntil)}. Links and previews from then lead
          to this project.
        </span>
      )}
    </>
  )
}
