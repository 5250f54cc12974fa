import { pages } from '@masthead/client/pages.ts'
import { columns } from '../columns.ts'
import { sameProject } from '../same-project.ts'
import { bothForms } from './typed-name.ts'
import { type DomainVerb, inProject } from './verb.ts'
import { statusStyle, statusTitle, waitedFor } from './waited-for.ts'

export const list: DomainVerb = {
  takes: [],
  async run(context, _words, values) {
    const { out, signal } = context
    const { client, params } = await inProject(context, values)
    const also = sameProject(values.project)
    const listing = { params, query: { limit: 100 }, signal }
    const found = await Array.fromAsync(pages(client.listDomains, listing))
    if (found.length === 0) {
      out.note(
        `${params.project} has no domains of its own yet. Add one: masthead domains add www.acme.com${also}`,
      )
    }
    const shown = { now: Date.now(), also }
    const rows = found.map((domain) => [
      out.style('bold', bothForms(domain)),
      out.style(statusStyle(domain), statusTitle(domain)),
      waitedFor(domain, shown),
    ])
    return { document: found, text: columns(rows).join('\n') }
  },
}
