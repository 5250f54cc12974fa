import type { DnsCheck } from '@masthead/contract/schemas/domain.ts'
import { Cell, Row, Table } from '../../../../ui/table.tsx'
import { outcomeWords } from './outcome-words.ts'

/** What every nameserver said, word for word. */
export function Nameservers({ check }: { check: DnsCheck }) {
  if (check.nameservers.length === 0) return <p className="text-soft">Nobody could be asked.</p>
  return (
    <Table label="What each nameserver said" columns={['Nameserver', 'Address', 'Outcome', 'Answers']}>
      {check.nameservers.map(({ name, address, outcome, answers }) => (
        <Row key={`${name} ${address}`}>
          <Cell of="Nameserver">
            <span className="font-mono text-small">{name}</span>
          </Cell>
          <Cell of="Address">
            <span className="font-mono text-small">{address ?? '–'}</span>
          </Cell>
          <Cell of="Outcome">
            <span className={outcome === 'answered' ? '' : 'text-waiting'}>{outcomeWords(outcome)}</span>
          </Cell>
          <Cell of="Answers">
            {answers.length === 0 ? (
              <span className="text-soft">{outcome === 'answered' ? 'no record' : '–'}</span>
            ) : (
              <ul>
                {answers.map(({ type, value, ttl }) => (
                  <li key={`${type} ${value}`} className="font-mono text-small">
                    {type} {value} <span className="text-soft">TTL {ttl}</span>
                  </li>
                ))}
              </ul>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
