import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
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
  /** Whether it is shown on the page of the domain, which lists the nameservers elsewhere. */
  page?: boolean
}

/** What a domain is waiting for and what to do about it. Empty for a live domain. */
export function DomainBody({ domain, page = false }: DomainBodyProps) {
  const { state, lastCheck } = domain
  // Keep the progress visible for people who watched the domain go live.
  const [watched] = useState(state !== 'live')
  // In the list, a notice above covers all suspended domains.
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

function Suspended({ domain: { unicode } }: { domain: Domain }) {
  const { account } = useSignedIn()
  return (
    <p className="mt-3 max-w-[64ch]">
      {unicode} is kept but not served, because your plan does not include custom domains.{' '}
      <Link to={paths.plan(account.id)} className="link">
        {' '}
        Upgrade your plan{' '}
      </Link>{' '}
      to restore it automatically.
    </p>
  )
}

/** In lab mode the server runs its own DNS, so a button can set the records. */
function LabRecord({ domain }: { domain: Domain }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const { data: server } = useServer()
  const set = useSetInLab(slug)
  // Browsers resolve .localhost to this machine; other names belong to public DNS.
  if (!server?.lab || !mayChange || !domain.hostname.endsWith('.localhost')) return null
  const what = domain.records.length === 1 ? 'the record' : 'the records'
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-sheet bg-wash px-4 py-3">
      <p className="max-w-[52ch] text-small text-soft">
        This server runs in lab mode, with its own DNS for names under{' '}
        <code className="font-mono">.localhost</code>. Nothing outside this machine changes.
      </p>
      <Button pending={set.isPending && 'Setting…'} onClick={() => set.mutate(domain)}>
        Set {what} in the local DNS
      </Button>
      {set.error !== null && <ProblemNotice error={set.error} />}
    </div>
  )
}
