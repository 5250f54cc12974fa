import type { OperatorSite } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { RowAction } from '../../../ui/row-action.tsx'
import { Status } from '../../../ui/status.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { withoutScheme } from '../../../without-scheme.ts'
import { RestoreSite } from './restore-site.tsx'
import { TakeDown } from './take-down.tsx'

export function SitesTable({ sites }: { sites: readonly OperatorSite[] }) {
  const [chosen, setChosen] = useState<OperatorSite | null>(null)
  const close = () => setChosen(null)
  return (
    <>
      <Table label="Sites" columns={['Site', 'Account', 'State', '']}>
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
  const { slug, url, domains, accountName, takedown } = site
  return (
    <Row>
      <Cell>
        <a href={url} target="_blank" rel="noopener noreferrer" className="link font-medium">
          {withoutScheme(url)}
        </a>
        {domains.length > 0 && <span className="block text-small text-soft">{domains.join(', ')}</span>}
      </Cell>
      <Cell of="Account">{accountName}</Cell>
      <Cell of="State">
        {takedown === null ? (
          <Status tone="live">Shown</Status>
        ) : (
          <>
            <Status tone="stopped">Taken down</Status>
            <span className="block text-small text-soft">
              {takedown.status}: {takedown.reason}
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
