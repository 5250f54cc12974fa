import { replacedRecords } from '@masthead/contract/domains/replaced-records.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Copy } from '../../../../ui/copy.tsx'
import { Section } from '../../../../ui/page.tsx'
import { Cell, Row, Table } from '../../../../ui/table.tsx'

/** Gets the certificate while the site is still elsewhere. */
export function Preparation({ domain }: { domain: Domain }) {
  const { preparation } = domain
  if (preparation === null) return null
  const { record, certificate, tested, ready } = preparation
  const intro = ready
    ? 'Ready. Change the routing record whenever you like: visitors will not notice.'
    : 'Is the site live elsewhere? Add this record first, and its certificate is in place before you move.'
  const steps = [
    { word: 'Record found', isDone: record.status === 'ok' },
    { word: 'Site published', isDone: true },
    { word: 'Certificate in place', isDone: certificate },
    { word: 'Tested through our edge', isDone: tested },
  ]
  return (
    <Section title="Prepare the move" intro={intro}>
      <Table label={`Record to prepare ${domain.unicode}`} columns={['Type', 'Name', 'Value', 'TTL']}>
        <Row>
          <Cell of="Type">
            <code className="font-mono text-small">{record.type}</code>
          </Cell>
          <Cell of="Name">
            <Copied text={record.name} what={`the name ${record.name}`} />
          </Cell>
          <Cell of="Value">
            <Copied text={record.value} what="the value" />
          </Cell>
          <Cell of="TTL">
            <span className="font-mono text-small">{record.ttl}</span>
          </Cell>
        </Row>
      </Table>
      <p className="mt-2 text-small wrap-anywhere empty:hidden">{replacedRecords(record)}</p>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-small text-soft">
        {steps.map(({ word, isDone }) => (
          <li key={word} className={isDone ? 'text-live' : ''}>
            {isDone ? `✓ ${word}` : `${word}: not yet`}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Copied({ text, what }: { text: string; what: string }) {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2.5 gap-y-1">
      <code className="min-w-0 font-mono text-small wrap-anywhere">{text}</code>
      <Copy text={text} what={what} />
    </span>
  )
}
