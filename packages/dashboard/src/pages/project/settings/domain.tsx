import { useParams } from 'react-router'
import { isProblem } from '../../../api.ts'
import { useDomain, useDomainConfig } from '../../../data/domains.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { Loaded } from '../../../loaded.tsx'
import { Page } from '../../../ui/page.tsx'
import { DomainInFull } from './domains/in-full.tsx'
import { NoSuchDomain } from './domains/no-such-domain.tsx'

export function DomainPage() {
  const { slug } = useProject()
  const { hostname = '' } = useParams()
  const query = useDomain(slug, hostname)
  const config = useDomainConfig(slug)
  if (isProblem(query.error, 'not_found')) return <NoSuchDomain slug={slug} hostname={hostname} />
  return (
    <Page title={query.data?.unicode ?? hostname}>
      <Loaded query={query}>{(domain) => <DomainInFull domain={domain} config={config.data} />}</Loaded>
    </Page>
  )
}
