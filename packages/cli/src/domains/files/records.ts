import { listAll } from '@masthead/client/paginate.ts'
import {
  type RecordFormatName,
  recordFormatNames,
  recordFormats,
} from '@masthead/contract/domains/record-formats/record-formats.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { usageError } from '../../errors/command-error.ts'
import { projectFlag } from '../../project/choose-project.ts'
import type { Paint } from '../../terminal/output.ts'
import { alternativeLines, recordTable, zoneOf } from '../check-lines.ts'
import { paragraphs } from '../domain-lines.ts'
import { type DomainVerb, inProject, onDomain } from '../verb.ts'

/** The DNS records of one domain, or of all domains of the project. */
export const records: DomainVerb = {
  takes: ['[NAME]'],
  options: ['format'],
  async run(context, words, values) {
    const { out, signal } = context
    const format = readFormat(values.format)
    const domains: Domain[] = []
    if (words.length > 0) {
      const { client, params } = await onDomain(context, words, values)
      domains.push(await client.getDomain({ params, signal }))
    } else {
      const { client, params } = await inProject(context, values)
      domains.push(...(await listAll(client.listDomains, { params, query: { limit: 100 }, signal })))
      if (domains.length === 0) {
        const also = projectFlag(values.project)
        out.note(
          `${params.project} has no custom domains yet. Add one: masthead domains add www.acme.com${also}`,
        )
      }
    }
    const document = domains.flatMap((domain) => domain.records)
    if (domains.length === 0) return { document, text: '' }
    const paint: Paint = (style, part) => out.style(style, part)
    const text = format === 'table' ? tables(document, paint) : recordFormats[format].write(domains).trimEnd()
    return { document, text }
  },
}

function readFormat(format = 'table'): RecordFormatName | 'table' {
  const known = recordFormatNames.find((name) => name === format)
  if (known !== undefined || format === 'table') return known ?? 'table'
  throw usageError(`There is no format ${format}.`, `Use table, ${recordFormatNames.join(', ')}.`)
}

/** A table for each zone. */
function tables(all: readonly Domain['records'][number][], paint: Paint): string {
  const zones = new Set(all.map(zoneOf))
  return paragraphs(
    [...zones].flatMap((zone) => {
      const records = all.filter((record) => zoneOf(record) === zone)
      return [[paint('bold', zone), ...recordTable(records, paint)], alternativeLines(records, paint)]
    }),
  ).join('\n')
}
