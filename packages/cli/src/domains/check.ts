import type { DomainCheck } from '@masthead/contract/schemas/domain.ts'
import { CommandError } from '../command-error.ts'
import { sameProject } from '../same-project.ts'
import { checkParagraphs } from './check-lines.ts'
import { paragraphs } from './domain-lines.ts'
import { bothForms, typedName } from './typed-name.ts'
import type { DomainVerb } from './verb.ts'

export const check: DomainVerb = {
  takes: ['NAME'],
  async run(context, [word = ''], values) {
    const { out, signal } = context
    const hostname = typedName(word)
    const client = await context.signedIn()
    const found = await client.checkDomain({ body: { hostname }, signal })
    const place = { now: Date.now(), width: out.width, also: sameProject(values.project) }
    const paint = out.style.bind(out)
    const kind = found.kind === 'apex' ? 'an apex' : 'a subdomain'
    const text = paragraphs([
      [`${out.style('bold', bothForms(found))}  ${out.style('dim', kind)}`],
      ...checkParagraphs(found, place, paint),
      found.outcome === 'right'
        ? [`${nothingInTheWay(found)} Add it: masthead domains add ${found.hostname}${place.also}`]
        : [],
    ]).join('\n')
    return { document: found, text, ...(found.outcome === 'right' ? {} : { failure: inTheWay(found) }) }
  },
}

function nothingInTheWay({ findings }: DomainCheck): string {
  const isToBeProved = findings.some(({ code }) => code === 'challenge_ahead')
  return isToBeProved ? 'Nothing else is in the way.' : 'Nothing is in the way.'
}

function inTheWay({ hostname, outcome }: DomainCheck): CommandError {
  return outcome === 'unclear'
    ? new CommandError('domain_unclear', `The DNS of ${hostname} could not be checked.`, '')
    : new CommandError('domain_not_right', `Something in the DNS of ${hostname} is in the way.`, '')
}
