import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { useKeptFocus } from '../../../../ui/kept-focus.ts'
import { DomainActions } from './actions.tsx'
import { DomainBadges } from './badges.tsx'
import { DomainBody } from './body.tsx'
import { DomainLinks } from './links.tsx'
import { AsciiName, DomainName } from './name.tsx'
import { offeredActions } from './offered-actions.ts'
import { Phrases } from './phrases.tsx'
import { stateLine } from './state-words.ts'
import { DomainStatus } from './status.tsx'

interface DomainCardProps {
  domain: Domain
  config: DomainConfig | undefined
  onRemove: () => void
}

/** One domain in the list of a project: what it is, what it waits for, and what to do about it. */
export function DomainCard({ domain, config, onRemove }: DomainCardProps) {
  const offered = offeredActions(domain, { page: false })
  const kept = useKeptFocus<HTMLLIElement>(domain.state)
  const links = <DomainLinks domain={domain} onRemove={onRemove} page={false} />
  return (
    <li {...kept} className="py-5">
      <div className="flex items-start justify-between gap-x-4">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="min-w-0 font-sans text-name font-semibold tracking-normal wrap-anywhere">
            <DomainName domain={domain} />
          </h2>
          <DomainBadges domain={domain} config={config} />
          <AsciiName domain={domain} />
        </div>
        <DomainStatus domain={domain} />
      </div>
      <div className="mt-1.5 flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <p className="min-w-0 text-small text-soft wrap-anywhere">
          <Phrases of={stateLine(domain)} />
        </p>
        {!offered.any && links}
      </div>
      <DomainBody domain={domain} />
      {offered.any && (
        <DomainActions domain={domain} offered={offered}>
          {links}
        </DomainActions>
      )}
    </li>
  )
}
