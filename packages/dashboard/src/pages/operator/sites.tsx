import { useAddressFilter } from '../../activity/use-address-filter.ts'
import { useSites } from '../../data/operator-sites.ts'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { SitesTable } from './sites/sites-table.tsx'

export function OperatorSitesPage() {
  const { chosen, choose } = useAddressFilter()
  const search = chosen('search')?.trim() ?? ''
  const list = useSites(search)
  return (
    <Page
      title="Sites"
      lede="Every project on this server. Take a site down after a report; visitors see the reason that you give."
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
            <Empty title={search === '' ? 'No project yet' : 'No site is found there'}>
              {search === ''
                ? 'Projects will stand here once somebody publishes one.'
                : 'Paste the whole address from the report, or a part of the slug.'}
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
