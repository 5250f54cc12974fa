import { sameProject } from '../same-project.ts'
import { domainLines } from './domain-lines.ts'
import { type DomainVerb, onDomain } from './verb.ts'

export const show: DomainVerb = {
  takes: ['NAME'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    const domain = await client.getDomain({ params, signal })
    const place = { now: Date.now(), width: out.width, also: sameProject(values.project) }
    const text = domainLines(domain, place, (style, part) => out.style(style, part)).join('\n')
    return { document: domain, text }
  },
}
