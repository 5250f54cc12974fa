import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Link } from 'react-router'
import { useMay } from '../../../layout/signed-in.tsx'
import { paths } from '../../../paths.ts'
import { RuledList } from '../../../ui/rule.tsx'
import { Section } from '../../../ui/section.tsx'
import { DomainStatus } from '../settings/domains/status.tsx'

/** More are a click away. */
const mostShown = 5

/** The domains of a project and how each of them is. */
export function ProjectDomains({ slug, domains }: { slug: string; domains: readonly Domain[] }) {
  const mayAdd = useMay('domains')
  const all = (domains.length > 0 || mayAdd) && (
    <Link to={paths.domains(slug)} className="link text-small">
      {domains.length === 0 ? 'Add a domain' : 'All domains'}
    </Link>
  )
  if (domains.length === 0) {
    const lede = mayAdd
      ? 'A domain of your own leads here, with a certificate we look after.'
      : 'This project has no domain of its own yet.'
    return (
      <Section title="Domains" aside={all} lede={lede}>
        {null}
      </Section>
    )
  }
  return (
    <Section title="Domains" aside={all}>
      <RuledList label="Domains">
        {domains.slice(0, mostShown).map((domain) => (
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
