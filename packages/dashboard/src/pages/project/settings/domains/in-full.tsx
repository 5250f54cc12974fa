import { isServed } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useMay } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { useKeptFocus } from '../../../../ui/kept-focus.ts'
import { Section } from '../../../../ui/section.tsx'
import { DomainActions } from './actions.tsx'
import { DomainBadges } from './badges.tsx'
import { DomainBody } from './body.tsx'
import { CertificateFacts } from './certificate.tsx'
import { dnsIsRight } from './dns-is-right.ts'
import { DomainLinks } from './links.tsx'
import { AsciiName } from './name.tsx'
import { Nameservers } from './nameservers.tsx'
import { offeredActions } from './offered-actions.ts'
import { Phrases } from './phrases.tsx'
import { RecordChanges } from './records.tsx'
import { RemoveFromPage } from './remove-from-page.tsx'
import { asked, stateLine } from './state-words.ts'
import { DomainStatus } from './status.tsx'
import { Timeline } from './timeline.tsx'

/** All there is to know of one domain. */
export function DomainInFull({ domain, config }: { domain: Domain; config: DomainConfig | undefined }) {
  const { slug } = useProject()
  const mayChange = useMay('domains')
  const [removing, setRemoving] = useState(false)
  const { hostname, lastCheck, state, url } = domain
  const kept = useKeptFocus<HTMLDivElement>(state)
  return (
    <div {...kept}>
      <div className="-mt-5 flex flex-wrap items-center gap-x-3 gap-y-2">
        <DomainStatus domain={domain} />
        <DomainBadges domain={domain} config={config} />
        <span className="ml-auto flex gap-5">
          {isServed(state) && (
            <a href={url} target="_blank" rel="noopener noreferrer" className="link">
              Open the site
            </a>
          )}
          <Link to={paths.domains(slug)} className="link">
            All domains
          </Link>
        </span>
      </div>
      <p className="mt-3 flex flex-wrap gap-y-1 text-small text-soft wrap-anywhere">
        <AsciiName domain={domain} />
        <span>
          <Phrases of={stateLine(domain)} />
        </span>
      </p>
      <DomainBody domain={domain} page />
      <DomainActions domain={domain} offered={offeredActions(domain, { page: true })}>
        <DomainLinks domain={domain} onRemove={() => setRemoving(true)} page />
      </DomainActions>
      {!mayChange && (
        <p className="mt-3 text-small text-soft">
          You see this as a viewer. An owner or a developer of the account can change it.
        </p>
      )}
      {removing && <RemoveFromPage domain={domain} config={config} onClose={() => setRemoving(false)} />}
      <div className="mt-12">
        <Section title="Certificate">
          <CertificateFacts domain={domain} />
        </Section>
        {dnsIsRight(domain) && (
          <Section title="DNS records" lede={recordsLede(domain)}>
            <RecordChanges domain={domain} />
          </Section>
        )}
        {lastCheck !== null && (
          <Section title="Nameservers" lede={<Phrases of={[...asked(lastCheck), '.']} />}>
            <Nameservers check={lastCheck} />
          </Section>
        )}
        <Section title="Timeline">
          <Timeline slug={slug} hostname={hostname} />
        </Section>
      </div>
    </div>
  )
}

function recordsLede({ proof }: Domain): string {
  return proof !== null && proof.dueAt !== null
    ? 'They lead visitors here. One more is asked for, to prove that the domain is yours.'
    : 'They lead visitors here. Leave them as they are.'
}
