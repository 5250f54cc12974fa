import { isReached } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { isProblem } from '../../../api/client.ts'
import { useDomain, useDomainConfig } from '../../../data/domains.ts'
import { GuideLink } from '../../../guide-link.tsx'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { Loaded } from '../../../loaded.tsx'
import { paths } from '../../../paths.ts'
import { useFocusFallback } from '../../../ui/focus.tsx'
import { Page, Section } from '../../../ui/page.tsx'
import { BehindProxy } from './domains/behind-proxy.tsx'
import { CertificateFacts } from './domains/certificate.tsx'
import { Nameservers, RecordChanges } from './domains/dns-records.tsx'
import { DomainActions } from './domains/domain-actions.tsx'
import { DomainBody } from './domains/domain-body.tsx'
import { AsciiName, DomainBadges, DomainLinks, DomainStatus } from './domains/domain-heading.tsx'
import { FollowedBranch } from './domains/followed-branch.tsx'
import { OwnCertificate } from './domains/own-certificate.tsx'
import { Preparation } from './domains/preparation.tsx'
import { Phrases } from './domains/progress.tsx'
import { RemoveFromPage } from './domains/remove/remove-dialog.tsx'
import { isDnsCorrect, offeredActions } from './domains/state/offered-actions.ts'
import { lastCheckWords, stateLine } from './domains/state/state-words.ts'
import { Timeline } from './domains/timeline.tsx'

export function DomainPage() {
  const { slug } = useProject()
  const { hostname = '' } = useParams()
  const query = useDomain(slug, hostname)
  const config = useDomainConfig(slug)
  if (isProblem(query.error, 'not_found')) return <NoSuchDomain slug={slug} hostname={hostname} />
  return (
    <Page title={query.data?.unicode ?? hostname}>
      <Loaded query={query}>{(domain) => <DomainDetails domain={domain} config={config.data} />}</Loaded>
    </Page>
  )
}

function DomainDetails({ domain, config }: { domain: Domain; config: DomainConfig | undefined }) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const [removing, setRemoving] = useState(false)
  const { hostname, kind, lastCheck, state, url } = domain
  const kept = useFocusFallback<HTMLDivElement>(state)
  return (
    <div {...kept}>
      <div className="-mt-5 flex flex-wrap items-center gap-x-3 gap-y-2">
        <DomainStatus domain={domain} />
        <DomainBadges domain={domain} config={config} />
        <span className="ml-auto flex gap-5">
          {isReached(state) && kind !== 'wildcard' && (
            <a href={url} target="_blank" rel="noopener noreferrer" className="link">
              Open site
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
          Only owners and developers can change this. Your role is viewer.
        </p>
      )}
      {removing && <RemoveFromPage domain={domain} config={config} onClose={() => setRemoving(false)} />}
      <div className="mt-12">
        <Preparation domain={domain} />
        <Section title="Certificate">
          <CertificateFacts domain={domain} />
          <OwnCertificate domain={domain} />
        </Section>
        {isDnsCorrect(domain) && (
          <Section title="DNS records" intro={recordsIntro(domain)}>
            <RecordChanges domain={domain} />
            <p className="mt-3 text-small text-soft">
              Also{' '}
              <Link to={paths.domainRecords(slug, hostname)} className="link">
                as a zone file, for Terraform and others
              </Link>
              .
            </p>
          </Section>
        )}
        {lastCheck !== null && (
          <Section
            title="Nameservers"
            intro={
              <>
                <Phrases of={[...lastCheckWords(lastCheck), '.']} />
                <GuideLink to="findings" />
              </>
            }
          >
            <Nameservers check={lastCheck} />
          </Section>
        )}
        <Section title="Content">
          <FollowedBranch domain={domain} />
        </Section>
        <Section
          title="Proxy"
          intro={
            <>
              Keep Cloudflare, Fastly or another CDN in front of this domain.
              <GuideLink to="proxies" />
            </>
          }
        >
          <BehindProxy domain={domain} />
        </Section>
        <Section title="Timeline">
          <Timeline slug={slug} hostname={hostname} />
        </Section>
      </div>
    </div>
  )
}

function recordsIntro({ proof }: Domain): string {
  return proof !== null && proof.dueAt !== null
    ? 'These records point visitors here. One more is needed to prove that you own the domain.'
    : 'These records point visitors here. Leave them as they are.'
}

function NoSuchDomain({ slug, hostname }: { slug: string; hostname: string }) {
  return (
    <Page
      title="Domain not found"
      intro={`${hostname} is not attached to this project. It may have been removed or moved to another one.`}
    >
      <Link to={paths.domains(slug)} className="link">
        All domains of this project
      </Link>
    </Page>
  )
}
