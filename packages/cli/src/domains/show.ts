import { listAll } from '@masthead/client/paginate.ts'
import { projectFlag } from '../project/choose-project.ts'
import { alignColumns } from '../terminal/layout.ts'
import { domainLines } from './domain-lines.ts'
import { displayHostname } from './hostname.ts'
import { pendingReason, statusStyle, statusTitle } from './status.ts'
import { type DomainVerb, inProject, onDomain } from './verb.ts'

export const list: DomainVerb = {
  takes: [],
  async run(context, _words, values) {
    const { out, signal } = context
    const { client, params } = await inProject(context, values)
    const also = projectFlag(values.project)
    const listing = { params, query: { limit: 100 }, signal }
    const found = await listAll(client.listDomains, listing)
    if (found.length === 0) {
      out.note(
        `${params.project} has no custom domains yet. Add one: masthead domains add www.acme.com${also}`,
      )
    }
    const shown = { now: Date.now(), also }
    const rows = found.map((domain) => [
      out.style('bold', displayHostname(domain)),
      out.style(statusStyle(domain), statusTitle(domain)),
      pendingReason(domain, shown),
    ])
    return { document: found, text: alignColumns(rows).join('\n') }
  },
}

export const show: DomainVerb = {
  takes: ['NAME'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    const domain = await client.getDomain({ params, signal })
    const place = { now: Date.now(), width: out.width, also: projectFlag(values.project) }
    const text = domainLines(domain, place, (style, part) => out.style(style, part)).join('\n')
    return { document: domain, text }
  },
}
