import type { DnsRecordWanted, RecordChange } from '@masthead/contract/schemas/domain.ts'
import { columns } from '../columns.ts'
import { printable } from '../printable.ts'
import type { Paint } from '../usage/chart.ts'

/** The records to set, as DNS providers ask for them. */
export function recordTable(records: readonly DnsRecordWanted[], paint: Paint): string[] {
  const titles = ['Type', 'Name', 'Value', 'TTL'].map((title) => paint('dim', title))
  const rows = records.map(({ type, name, value, ttl }) => [paint('bold', type), name, value, String(ttl)])
  return columns([titles, ...rows]).map((line) => `  ${line}`)
}

/** What to set where the provider has neither ALIAS nor ANAME; empty where there is nothing to say. */
export function alternativeLines(records: readonly DnsRecordWanted[], paint: Paint): string[] {
  const rows = records.flatMap(({ name, ttl, alternatives }) =>
    alternatives.map(({ type, value }) => [paint('bold', type), name, value, String(ttl)]),
  )
  if (rows.length === 0) return []
  return [
    'Where your DNS provider has neither ALIAS nor ANAME, set instead:',
    ...columns(rows).map((line) => `  ${line}`),
  ]
}

const actions = {
  keep: { style: 'dim', sign: ' ' },
  add: { style: 'green', sign: '+' },
  change: { style: 'yellow', sign: '~' },
  remove: { style: 'red', sign: '-' },
} as const

/** What to do in DNS, as a difference to what is there. */
export function changeLines(changes: readonly RecordChange[], paint: Paint): string[] {
  const rows = changes.map(({ action, type, name, from, to, ttl }) => {
    const { style, sign } = actions[action]
    const values = action === 'change' ? [from, to] : [to ?? from]
    const value = values
      .map((text) => (text === null ? '(shown when it is added)' : printable(text)))
      .join(' → ')
    const last = action === 'add' || action === 'change' ? `TTL ${ttl}` : ''
    return [paint(style, `${sign} ${action}`), printable(type), printable(name), value, last]
  })
  return columns(rows).map((line) => `  ${line}`)
}

/** The zone that the record belongs into. */
export function zoneOf({ name, fqdn }: Pick<DnsRecordWanted, 'name' | 'fqdn'>): string {
  return name === '@' ? fqdn : fqdn.slice(name.length + 1)
}
