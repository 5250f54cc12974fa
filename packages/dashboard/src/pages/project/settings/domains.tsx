import { plans } from '@masthead/contract/plans.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useState } from 'react'
import { useAccount } from '../../../data/account.ts'
import { useDomainConfig, useDomains } from '../../../data/domains.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { useMay } from '../../../layout/signed-in.tsx'
import { Loaded } from '../../../loaded.tsx'
import { ShowMore } from '../../../show-more.tsx'
import { focusPage } from '../../../ui/focus-page.ts'
import { Page } from '../../../ui/page.tsx'
import { AddDomain } from './domains/add-domain.tsx'
import { DomainsLede } from './domains/lede.tsx'
import { DomainList } from './domains/list.tsx'
import { NoDomains } from './domains/no-domains.tsx'
import { Primary } from './domains/primary.tsx'
import { useProjectNames } from './domains/project-names.ts'
import { Redirects } from './domains/redirects.tsx'
import { useRemoval } from './domains/removal.ts'
import { RemovalFailure } from './domains/removal-failure.tsx'
import { RemovalWarnings } from './domains/removal-warnings.tsx'
import { RemoveOrRedirect } from './domains/remove-or-redirect.tsx'
import { Upsell } from './domains/upsell.tsx'

export function DomainsPage() {
  const project = useProject()
  const { slug } = project
  const list = useDomains(slug)
  const names = useProjectNames(project, list)
  const config = useDomainConfig(slug)
  const account = useAccount()
  const mayChange = useMay('domains')
  const removal = useRemoval(slug)
  const [newest, setNewest] = useState<{ hostname: string } | null>(null)
  const [removing, setRemoving] = useState<Domain | null>(null)

  const included = account.data === undefined || plans[account.data.plan].customDomains !== 0

  function remove(domain: Domain) {
    setRemoving(null)
    removal.mutate(domain)
    // Its card and the button that opened the dialog are gone.
    focusPage()
  }

  return (
    <Page
      title="Domains"
      lede={<DomainsLede project={project} own={names.own} included={included} mayChange={mayChange} />}
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
