import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { Badge } from '../../../../ui/badge.tsx'

interface DomainBadgesProps {
  domain: Pick<Domain, 'hostname' | 'kind'>
  config: DomainConfig | undefined
}

/** What a domain is among those of its project. */
export function DomainBadges({ domain: { hostname, kind }, config }: DomainBadgesProps) {
  const leadsTo = config?.domains.redirects.find(({ from }) => from === hostname)?.to
  return (
    <>
      {config?.domains.primary === hostname && <Badge>Primary</Badge>}
      {kind === 'apex' && <Badge>Apex</Badge>}
      {leadsTo !== undefined && <Badge>Redirects to {leadsTo}</Badge>}
    </>
  )
}
