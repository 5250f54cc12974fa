import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import { memo, type ReactNode, useEffect, useRef, useState } from 'react'
import { useFocusFallback } from '../../../../ui/focus.tsx'
import { Disclosure } from '../../../../ui/page.tsx'
import { RuledList } from '../../../../ui/table.tsx'
import { DomainActions } from './domain-actions.tsx'
import { DomainBody } from './domain-body.tsx'
import { AsciiName, DomainBadges, DomainLinks, DomainName, DomainStatus } from './domain-heading.tsx'
import { Phrases } from './progress.tsx'
import { offeredActions } from './state/offered-actions.ts'
import { stateLine } from './state/state-words.ts'
import { foldDomains } from './state/status-words.ts'

interface DomainListProps {
  domains: Domain[]
  config: DomainConfig | undefined
  /** The domain that was just added: it gets the focus once. */
  newest: { hostname: string } | null
  onRemove: (domain: Domain) => void
}

export function DomainList({ domains, config, newest, onRemove }: DomainListProps) {
  const list = useRef<HTMLDivElement>(null)
  // The list may have been rendered together with its first domain.
  const focused = useRef<DomainListProps['newest']>(null)
  const { shown, live, others } = foldDomains(domains, newest?.hostname ?? null)
  const index = shown.findIndex(({ hostname }) => hostname === newest?.hostname)
  const card = (domain: Domain) => (
    <DomainCard key={domain.hostname} domain={domain} config={config} onRemove={onRemove} />
  )

  useEffect(() => {
    if (focused.current === newest || index === -1) return
    focused.current = newest
    const newCard = list.current?.querySelector('ul')?.children[index]
    const name = newCard?.querySelector('h2')
    if (!name) return
    name.tabIndex = -1
    name.focus()
    newCard?.scrollIntoView({ block: 'nearest' })
  }, [newest, index])

  return (
    <div ref={list}>
      <RuledList label="Domains">{shown.map(card)}</RuledList>
      <Folded are="not live" domains={others} card={card} />
      <Folded are="live" domains={live} card={card} />
    </div>
  )
}

interface FoldedProps {
  are: string
  domains: readonly Domain[]
  card: (domain: Domain) => ReactNode
}

function Folded({ are, domains, card }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  if (domains.length === 0) return null
  const one = domains.length === 1
  const summary = `${domains.length.toLocaleString('en')} more ${one ? 'domain is' : 'domains are'} ${are}`
  return (
    <div className="mt-4">
      <Disclosure summary={summary} onToggle={setOpen}>
        {isOpen && <RuledList label={`More domains that are ${are}`}>{domains.map(card)}</RuledList>}
      </Disclosure>
    </div>
  )
}

interface DomainCardProps {
  domain: Domain
  config: DomainConfig | undefined
  onRemove: (domain: Domain) => void
}

/** Rendered again only if it changed: a list may have many, and one of them changes every moment. */
const DomainCard = memo(function DomainCard({ domain, config, onRemove }: DomainCardProps) {
  const offered = offeredActions(domain, { page: false })
  const kept = useFocusFallback<HTMLLIElement>(domain.state)
  const links = <DomainLinks domain={domain} onRemove={() => onRemove(domain)} page={false} />
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
})
