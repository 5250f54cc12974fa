import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Link } from 'react-router'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { paths } from '../../../paths.ts'
import { Section } from '../../../ui/page.tsx'
import { RuledList } from '../../../ui/table.tsx'
import { DomainStatus } from '../settings/domains/domain-heading.tsx'
import { needsAttention, sortByUrgency } from '../settings/domains/state/status-words.ts'

const maxShown = 5

function headingOf(domains: readonly Domain[]): string {
  const count = domains.filter(needsAttention).length
  if (count === 0) return 'Domains'
  return `Domains · ${count === 1 ? '1 needs attention' : `${count.toLocaleString('en')} need attention`}`
}

export function ProjectDomains({ slug, domains }: { slug: string; domains: readonly Domain[] }) {
  const mayAdd = useHasScope('domains')
  const all = (domains.length > 0 || mayAdd) && (
    <Link to={paths.domains(slug)} className="link text-small">
      {domains.length === 0
        ? 'Add a domain'
        : domains.length <= maxShown
          ? 'All domains'
          : `All ${domains.length.toLocaleString('en')} domains`}
    </Link>
  )
  if (domains.length === 0) {
    const intro = mayAdd
      ? "No custom domain yet. Add one and we'll handle its certificate."
      : 'This project has no custom domain yet.'
    return (
      <Section title="Domains" aside={all} intro={intro}>
        {null}
      </Section>
    )
  }
  return (
    <Section title={headingOf(domains)} aside={all}>
      <RuledList label="Domains">
        {sortByUrgency(domains)
          .slice(0, maxShown)
          .map((domain) => (
            <li key={domain.hostname} className="flex items-center justify-between gap-6 py-3">
              <Link
                to={paths.domain(slug, domain.hostname)}
                className="min-w-0 font-medium wrap-anywhere underline-offset-3 hover:underline"
              >
                {domain.unicode}
              </Link>
              <DomainStatus domain={domain} />
            </li>
          ))}
      </RuledList>
    </Section>
  )
}
