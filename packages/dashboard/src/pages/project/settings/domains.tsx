import { plans } from '@masthead/contract/plans.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAccount } from '../../../data/account.ts'
import { useDomainConfig, useDomains } from '../../../data/domains.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../../../loaded.tsx'
import { paths } from '../../../paths.ts'
import { focusPage } from '../../../ui/focus.tsx'
import { Page } from '../../../ui/page.tsx'
import { AddDomain } from './domains/add/add-domain.tsx'
import { Primary } from './domains/config/primary.tsx'
import { Redirects } from './domains/config/redirects.tsx'
import { DomainList } from './domains/domain-list.tsx'
import { DomainsIntro, NoDomains, Upsell } from './domains/intro.tsx'
import { useProjectNames } from './domains/project-names.tsx'
import { RemovalFailure, RemovalWarnings } from './domains/remove/removal-notices.tsx'
import { RemoveOrRedirect } from './domains/remove/remove-dialog.tsx'
import { useRemoval } from './domains/remove/use-removal.ts'

export function DomainsPage() {
  const project = useProject()
  const { slug } = project
  const list = useDomains(slug)
  const names = useProjectNames(project, list)
  const config = useDomainConfig(slug)
  const account = useAccount()
  const mayChange = useHasScope('domains')
  const removal = useRemoval(slug)
  const [newest, setNewest] = useState<{ hostname: string } | null>(null)
  const [removing, setRemoving] = useState<Domain | null>(null)

  const included = account.data === undefined || plans[account.data.plan].customDomains !== 0

  function remove(domain: Domain) {
    setRemoving(null)
    removal.mutate(domain)
    // The button that opened the dialog is gone.
    focusPage()
  }

  return (
    <Page
      title="Domains"
      intro={<DomainsIntro project={project} own={names.own} included={included} mayChange={mayChange} />}
    >
      <Loaded query={list}>
        {(domains) => (
          <>
            {!included && <Upsell suspended={domains.some(({ state }) => state === 'suspended')} />}
            {included && mayChange && (
              <AddDomain
                project={project}
                names={names}
                redirects={config.data?.domains.redirects ?? []}
                onAdded={(hostname) => setNewest({ hostname })}
              />
            )}
            <RemovalWarnings slug={slug} names={names} />
            {removal.isError && <RemovalFailure domain={removal.variables} error={removal.error} />}
            {domains.length === 0 && included && <NoDomains mayChange={mayChange} />}
            {domains.length > 0 && (
              <>
                <DomainList domains={domains} config={config.data} newest={newest} onRemove={setRemoving} />
                <ShowMore list={list} />
                <p className="mt-4 text-small text-soft">
                  Someone else runs your DNS?{' '}
                  <Link to={paths.domainRecords(slug)} className="link">
                    Send them all records
                  </Link>
                </p>
                <div className="mt-14">
                  <Loaded query={config}>
                    {({ domains: settings }) => (
                      <>
                        <Primary
                          domains={domains}
                          slug={slug}
                          config={settings}
                          names={names}
                          mayChange={mayChange}
                        />
                        <Redirects slug={slug} config={settings} names={names} mayChange={mayChange} />
                      </>
                    )}
                  </Loaded>
                </div>
              </>
            )}
          </>
        )}
      </Loaded>
      {removing !== null && (
        <RemoveOrRedirect
          domain={removing}
          project={project}
          config={config.data?.domains}
          names={names}
          onConfirm={() => remove(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
    </Page>
  )
}
