import { columns } from '../columns.ts'
import { sameProject } from '../same-project.ts'
import { type DomainVerb, inProject } from './verb.ts'

export const config: DomainVerb = {
  takes: [],
  async run(context, _words, values) {
    const { out, signal } = context
    const { client, params } = await inProject(context, values)
    const found = await client.getDomainConfig({ params, signal })
    const { primary, redirects } = found.domains
    const rows = [
      [out.style('dim', 'primary'), out.style('bold', primary), ''],
      ...redirects.map(({ from, to, status }) => [
        out.style('dim', 'redirect'),
        `${from} → ${to}`,
        String(status),
      ]),
    ]
    if (redirects.length === 0) {
      out.note(`No redirects. Add one: masthead domains redirect FROM TO${sameProject(values.project)}`)
    }
    return { document: { domains: found.domains }, text: columns(rows).join('\n') }
  },
}
