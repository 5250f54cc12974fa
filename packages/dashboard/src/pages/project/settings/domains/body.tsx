import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useState } from 'react'
import { Disclosure } from '../../../../ui/disclosure.tsx'
import { CertificateTrouble } from './certificate-trouble.tsx'
import { dnsIsRight } from './dns-is-right.ts'
import { Findings } from './findings.tsx'
import { LabRecord } from './lab.tsx'
import { Nameservers } from './nameservers.tsx'
import { DomainProgress } from './progress.tsx'
import { RecordChanges } from './records.tsx'
import { Suspended } from './suspended.tsx'

interface DomainBodyProps {
  domain: Domain
  /** Whether it stands on the page of the domain, which has a place for the nameservers. */
  page?: boolean
}

/** What a domain waits for and what to do about it. One that is live has nothing to say here. */
export function DomainBody({ domain, page = false }: DomainBodyProps) {
  const { state, lastCheck } = domain
  // Whoever watched it on its way sees it arrive; whoever comes later finds a quiet line.
  const [watched] = useState(state !== 'live')
  // Above the list it is said once, for all of them.
  if (state === 'suspended') return page && <Suspended domain={domain} />
  return (
    <div className="flex flex-col gap-4 not-empty:mt-4">
      {watched && <DomainProgress domain={domain} />}
      {!dnsIsRight(domain) && (
        <>
          <RecordChanges domain={domain} />
          <LabRecord domain={domain} />
        </>
      )}
      <Findings domain={domain} />
      <CertificateTrouble domain={domain} />
      {!page && !dnsIsRight(domain) && lastCheck !== null && (
        <Disclosure summary="What each nameserver said">
          <Nameservers check={lastCheck} />
        </Disclosure>
      )}
    </div>
  )
}
