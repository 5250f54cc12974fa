import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { useEffect, useRef } from 'react'
import { Disclosure } from '../../../../ui/disclosure.tsx'
import { RuledList } from '../../../../ui/rule.tsx'
import { DomainCard } from './card.tsx'
import { foldLive } from './trouble-first.ts'

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
  const { shown, folded } = foldLive(domains)
  const place = shown.findIndex(({ hostname }) => hostname === newest?.hostname)
  const card = (domain: Domain) => (
    <DomainCard key={domain.hostname} domain={domain} config={config} onRemove={() => onRemove(domain)} />
  )

  useEffect(() => {
    if (led.current === newest || place === -1) return
    led.current = newest
    const newCard = list.current?.querySelector('ul')?.children[place]
    const name = newCard?.querySelector('h2')
    if (!name) return
    name.tabIndex = -1
    name.focus()
    newCard?.scrollIntoView({ block: 'nearest' })
  }, [newest, place])

  return (
    <div ref={list}>
      <RuledList label="Domains">{shown.map(card)}</RuledList>
      {folded.length > 0 && (
        <div className="mt-4">
          <Disclosure summary={`${folded.length.toLocaleString('en')} more live domains`}>
            <RuledList label="More live domains">{folded.map(card)}</RuledList>
          </Disclosure>
        </div>
      )}
    </div>
  )
}
