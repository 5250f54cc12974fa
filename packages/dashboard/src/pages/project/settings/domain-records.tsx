import {
  type RecordFormatName,
  recordFormatNames,
  recordFormats,
} from '@masthead/contract/domains/record-formats/record-formats.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Link } from 'react-router'
import { useAllDomains } from '../../../data/domains.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { Loaded } from '../../../loaded.tsx'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Select } from '../../../ui/field.tsx'
import { Empty, Page } from '../../../ui/page.tsx'
import { useUrlFilter } from '../../../ui/url-state.ts'
import { RecordChanges } from './domains/dns-records.tsx'

/** The DNS records of one domain or all, to copy, print and send. */
export function DomainRecordsPage() {
  const { slug } = useProject()
  const query = useAllDomains(slug, true)
  return (
    <Page
      title="DNS records"
      intro="Copy or print them for the person who manages your DNS."
      aside={
        <Link to={paths.domains(slug)} className="link print:hidden">
          All domains
        </Link>
      }
    >
      <Loaded query={query}>{(domains) => <Records domains={domains} />}</Loaded>
    </Page>
  )
}

function Records({ domains }: { domains: Domain[] }) {
  const { chosen, choose } = useUrlFilter()
  if (domains.length === 0) {
    return (
      <Empty title="No domains yet">
        <p>Add a domain first. Its DNS records appear here.</p>
      </Empty>
    )
  }
  const format = formatOf(chosen('format'))
  const only = domains.find(({ hostname }) => hostname === chosen('domain'))
  const shown = only === undefined ? domains : [only]
  return (
    <div className="flex flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2 print:hidden">
        <Select
          label="Domain"
          value={only?.hostname ?? ''}
          onChange={({ target }) => choose('domain', target.value)}
        >
          <option value="">All domains</option>
          {domains.map(({ hostname, unicode }) => (
            <option key={hostname} value={hostname}>
              {unicode}
            </option>
          ))}
        </Select>
        <Select
          label="Format"
          value={format}
          onChange={({ target }) => choose('format', target.value)}
          hint={
            format === 'table' ? 'What to change, compared with the DNS of now.' : recordFormats[format].hint
          }
        >
          <option value="table">Table</option>
          {recordFormatNames.map((name) => (
            <option key={name} value={name}>
              {recordFormats[name].title}
            </option>
          ))}
        </Select>
      </div>
      {format === 'table' ? <RecordTables domains={shown} /> : <RecordText domains={shown} format={format} />}
      <div className="print:hidden">
        <Button onClick={() => window.print()}>Print</Button>
      </div>
    </div>
  )
}

function RecordTables({ domains }: { domains: Domain[] }) {
  return domains.map((domain) => (
    <section key={domain.hostname}>
      <h2 className="mb-2 font-semibold">{domain.unicode}</h2>
      <RecordChanges domain={domain} />
    </section>
  ))
}

function RecordText({ domains, format }: { domains: Domain[]; format: RecordFormatName }) {
  const text = recordFormats[format].write(domains)
  return (
    <div className="relative">
      <pre className="overflow-x-auto rounded-sheet border border-hairline bg-wash p-4 pr-20 font-mono text-small whitespace-pre-wrap wrap-anywhere print:border-0 print:bg-transparent print:p-0">
        {text}
      </pre>
      <div className="absolute top-3 right-3 print:hidden">
        <Copy text={text} what="the DNS records" />
      </div>
    </div>
  )
}

function formatOf(name: string | null): RecordFormatName | 'table' {
  if (name === 'table') return 'table'
  return recordFormatNames.find((known) => known === name) ?? 'message'
}
