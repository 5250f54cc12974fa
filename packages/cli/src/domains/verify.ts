import { isServed } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Outcome } from '../command.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { sameProject } from '../same-project.ts'
import { domainLines } from './domain-lines.ts'
import { type DomainValues, type DomainVerb, onDomain } from './verb.ts'
import { isRight, stateTitle } from './waited-for.ts'
import { watchDomain } from './watch-domain.ts'

export const verify: DomainVerb = {
  takes: ['NAME'],
  options: ['no-wait'],
  run: (context, words, values) => check(context, words, values, 'verifyDomain'),
}

export const reverify: DomainVerb = {
  takes: ['NAME'],
  options: ['no-wait'],
  run: (context, words, values) => check(context, words, values, 'reverifyDomain'),
}

async function check(
  context: Context,
  words: readonly string[],
  values: DomainValues,
  start: 'verifyDomain' | 'reverifyDomain',
): Promise<Outcome> {
  const { out, signal } = context
  const { client, params } = await onDomain(context, words, values)
  const first = await client[start]({ params, signal })
  if (start === 'reverifyDomain') out.note(certificateNote(first))
  const also = sameProject(values.project)
  const domain = values['no-wait']
    ? first
    : await watchDomain(first, { look: () => client.getDomain({ params, signal }), out, signal, also })
  const place = { now: Date.now(), width: out.width, also }
  const text = domainLines(domain, place, (style, part) => out.style(style, part)).join('\n')
  return { document: domain, text, ...(isRight(domain) ? {} : { failure: notRight(domain) }) }
}

function certificateNote({ hostname, state }: Domain): string {
  return isServed(state)
    ? `A fresh attempt at a certificate for ${hostname} was asked for.`
    : `A certificate for ${hostname} is asked for as soon as its DNS is right.`
}

function notRight({ hostname, state, lastCheck }: Domain): CommandError {
  const said =
    lastCheck?.outcome === 'unclear'
      ? `The DNS of ${hostname} could not be checked.`
      : `The DNS of ${hostname} is not right${state === 'pending' ? ' yet' : ''}: ${stateTitle(state)}.`
  return new CommandError('domain_not_right', said, '')
}
