import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { useServer } from '../../../../api/session.ts'
import { useSetInLab } from '../../../../data/lab.ts'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope, useSignedIn } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { ProblemNotice } from '../../../../problem-notice.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Disclosure } from '../../../../ui/page.tsx'
import { Nameservers, RecordChanges } from './dns-records.tsx'
import { CertificateTrouble, Findings } from './findings.tsx'
import { DomainProgress } from './progress.tsx'
import { isDnsCorrect } from './state/offered-actions.ts'

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
      {!isDnsCorrect(domain) && (
        <>
          <RecordChanges domain={domain} />
          <LabRecord domain={domain} />
        </>
      )}
      <Findings domain={domain} />
      <CertificateTrouble domain={domain} />
      {!page && !isDnsCorrect(domain) && lastCheck !== null && (
        <Disclosure summary="What each nameserver said">
          <Nameservers check={lastCheck} />
        </Disclosure>
      )}
    </div>
  )
}

/** Kept, not served: why, and the way back. */
function Suspended({ domain: { unicode } }: { domain: Domain }) {
  const { account } = useSignedIn()
  return (
    <p className="mt-3 max-w-[64ch]">
      {unicode} is kept but not served, because the plan has no custom domains.{' '}
      <Link to={paths.plan(account.id)} className="link">
        A plan that has them
      </Link>{' '}
      resumes it by itself.
    </p>
  )
}

/** On a laptop the DNS is ours too: one button sets what is asked for. */
function LabRecord({ domain }: { domain: Domain }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const { data: server } = useServer()
  const set = useSetInLab(slug)
  // Names under it are this machine's own, in every browser; all others belong to the world's DNS.
  if (!server?.lab || !mayChange || !domain.hostname.endsWith('.localhost')) return null
  const what = domain.records.length === 1 ? 'the record' : 'the records'
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-sheet bg-wash px-4 py-3">
      <p className="max-w-[52ch] text-small text-soft">
        This server is a lab: it has a DNS of its own for names under{' '}
        <code className="font-mono">.localhost</code>. Nothing outside this machine is touched.
      </p>
      <Button pending={set.isPending && 'Setting it…'} onClick={() => set.mutate(domain)}>
        Set {what} in the local DNS
      </Button>
      {set.error !== null && <ProblemNotice error={set.error} />}
    </div>
  )
}
