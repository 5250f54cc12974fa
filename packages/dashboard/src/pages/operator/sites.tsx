import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useSites } from '../../data/operator.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { RowAction } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { useUrlFilter } from '../../ui/url-state.ts'
import { withoutScheme } from '../../unicode-hostname.ts'
import { RestoreSite, TakeDown } from './site-takedown.tsx'

export function OperatorSitesPage() {
  const { chosen, choose } = useUrlFilter()
  const search = chosen('search')?.trim() ?? ''
  const list = useSites(search)
  return (
    <Page
      title="Sites"
      intro="Every project on this server. If you take a site down, visitors see the reason you give."
    >
      <SearchField
        label="Search sites"
        placeholder="Slug, domain or address"
        maxLength={300}
        value={search}
        onSearch={(text) => choose('search', text)}
      />
      <Loaded query={list}>
        {(sites) =>
          sites.length === 0 ? (
            <Empty title={search === '' ? 'No projects yet' : 'No matching sites'}>
              {search === ''
                ? 'Projects appear here once someone creates one.'
                : 'Paste the full address from the report, or part of the slug.'}
            </Empty>
          ) : (
            <>
              <SitesTable sites={sites} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function SitesTable({ sites }: { sites: readonly OperatorSite[] }) {
  const [chosen, setChosen] = useState<OperatorSite | null>(null)
  const close = () => setChosen(null)
  return (
    <>
      <Table label="Sites" columns={['Site', 'Account', 'Status', '']}>
        {sites.map((site) => (
          <SiteRow key={site.id} site={site} onChoose={() => setChosen(site)} />
        ))}
      </Table>
      {chosen !== null &&
        (chosen.takedown === null ? (
          <TakeDown site={chosen} onClose={close} />
        ) : (
          <RestoreSite site={chosen} onClose={close} />
        ))}
    </>
  )
}

function SiteRow({ site, onChoose }: { site: OperatorSite; onChoose: () => void }) {
  const { slug, url, domains, accountName, published, takedown } = site
  return (
    <Row>
      <Cell>
        <a href={url} target="_blank" rel="noopener noreferrer" className="link font-medium">
          {withoutScheme(url)}
        </a>
        {domains.length > 0 && <span className="block text-small text-soft">{domains.join(', ')}</span>}
      </Cell>
      <Cell of="Account" prose>
        <bdi>{accountName}</bdi>
      </Cell>
      <Cell of="Status">
        {takedown === null ? (
          <Status tone={published ? 'live' : 'idle'}>{published ? 'Online' : 'Nothing published yet'}</Status>
        ) : (
          <>
            <Status tone="stopped">Taken down</Status>
            <span className="mt-1 block max-w-[30ch] text-small text-soft wrap-break-word">
              {takedown.status}: <bdi>{takedown.reason}</bdi>
            </span>
          </>
        )}
      </Cell>
      <Cell end oneLine>
        <RowAction
          harmless={takedown !== null}
          label={takedown === null ? `Take down ${slug}` : `Restore ${slug}`}
          onClick={onChoose}
        >
          {takedown === null ? 'Take down' : 'Restore'}
        </RowAction>
      </Cell>
    </Row>
  )
}
