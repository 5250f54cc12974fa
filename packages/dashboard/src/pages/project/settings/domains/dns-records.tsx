import { addressesInstead, changesToShow } from '@masthead/contract/domains/record-formats/instructions.ts'
import type { DnsCheck, RecordChange } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Copy } from '../../../../ui/copy.tsx'
import { Cell, Row, Table } from '../../../../ui/table.tsx'
import { outcomeWords } from './state/check-words.ts'

const actions = {
  keep: { word: 'Keep', tone: 'text-soft' },
  add: { word: 'Add', tone: 'text-live' },
  change: { word: 'Change', tone: 'text-waiting' },
  remove: { word: 'Remove', tone: 'text-stopped' },
} as const

/** The DNS changes to make, compared with the current records. */
export function RecordChanges({ domain }: { domain: Domain }) {
  const changes = changesToShow(domain.lastCheck, domain.records)
  if (changes.length === 0) return null
  return (
    <div>
      <Table label={`DNS records of ${domain.unicode}`} columns={['Change', 'Type', 'Name', 'Value', 'TTL']}>
        {changes.map((change) => (
          <ChangeRow key={keyOf(change)} change={change} />
        ))}
      </Table>
      <AddressesInstead domain={domain} changes={changes} />
    </div>
  )
}

function ChangeRow({ change }: { change: RecordChange }) {
  const { action, type, name, from, to, ttl } = change
  const { word, tone } = actions[action]
  const isToSet = (action === 'add' || action === 'change') && to !== null
  return (
    <Row>
      <Cell of="Change">
        <strong className={`text-small font-semibold whitespace-nowrap ${tone}`}>{word}</strong>
      </Cell>
      <Cell of="Type">
        <code className="font-mono text-small whitespace-nowrap">{type}</code>
      </Cell>
      <Cell of="Name">
        <Value text={name} copy={isToSet ? `the name ${name}` : null} />
      </Cell>
      <Cell of="Value">
        {from !== null && action !== 'keep' && (
          <del className={`block font-mono text-small ${action === 'remove' ? 'text-stopped' : 'text-soft'}`}>
            {from}
          </del>
        )}
        {to !== null && <Value text={to} copy={isToSet ? 'the value' : null} />}
      </Cell>
      <Cell of="TTL">
        <span className="font-mono text-small whitespace-nowrap">{ttl}</span>
      </Cell>
    </Row>
  )
}

function Value({ text, copy }: { text: string; copy: string | null }) {
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-x-2.5 gap-y-1">
      <code className="min-w-0 font-mono text-small wrap-anywhere">{text}</code>
      {copy !== null && <Copy text={text} what={copy} />}
    </span>
  )
}

/** For an apex at a provider without ALIAS or ANAME records. */
function AddressesInstead({ domain, changes }: { domain: Domain; changes: RecordChange[] }) {
  const addresses = addressesInstead(changes, domain.records)
  if (addresses.length === 0) return null
  return (
    <div className="mt-2.5 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-small text-soft">
      <span>If your provider supports neither ALIAS nor ANAME, set these at @ instead:</span>
      {addresses.map(({ type, value }) => (
        <span key={value} className="inline-flex items-center gap-2">
          <code className="font-mono text-ink">
            {type} {value}
          </code>
          <Copy text={value} what={`the address ${value}`} />
        </span>
      ))}
    </div>
  )
}

function keyOf({ action, type, fqdn, from, to }: RecordChange): string {
  return [action, type, fqdn, from, to].join(' ')
}

interface RecordToAddProps {
  record: { type: string; fqdn: string; value: string }
}

/** A record as a line of a zone file, with a copy button. */
export function RecordToAdd({ record: { type, fqdn, value } }: RecordToAddProps) {
  return (
    <span className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <code className="min-w-0 font-mono text-small wrap-anywhere text-ink">
        {fqdn}. {type} {value}
      </code>
      <Copy text={value} what={`the value of the ${type} record`} />
    </span>
  )
}

export function Nameservers({ check }: { check: DnsCheck }) {
  if (check.nameservers.length === 0) return <p className="text-soft">No nameserver could be reached.</p>
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
