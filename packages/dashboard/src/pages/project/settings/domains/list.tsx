import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { useEffect, useRef } from 'react'
import { RuledList } from '../../../../ui/rule.tsx'
import { DomainCard } from './card.tsx'

interface DomainListProps {
  domains: Domain[]
  config: DomainConfig | undefined
  /** The one that was just added: the eye goes there, and so does the focus, once. */
  newest: { hostname: string } | null
  onRemove: (domain: Domain) => void
}

export function DomainList({ domains, config, newest, onRemove }: DomainListProps) {
  const list = useRef<HTMLDivElement>(null)
  // The list itself may have come with the first one.
  const led = useRef<DomainListProps['newest']>(null)
  const place = domains.findIndex(({ hostname }) => hostname === newest?.hostname)

  useEffect(() => {
    if (led.current === newest || place === -1) return
    led.current = newest
    const card = list.current?.querySelector('ul')?.children[place]
    const name = card?.querySelector('h2')
    if (!name) return
    name.tabIndex = -1
    name.focus()
    card?.scrollIntoView({ block: 'nearest' })
  }, [newest, place])

  return (
    <div ref={list}>
      <RuledList label="Domains">
        {domains.map((domain) => (
          <DomainCard
            key={domain.hostname}
            domain={domain}
            config={config}
            onRemove={() => onRemove(domain)}
          />
        ))}
      </RuledList>
    </div>
  )
}
