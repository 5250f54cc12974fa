import { keepsOwnCertificate } from '@masthead/contract/domains/certificate-trouble.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { isReached } from '@masthead/contract/domains/states.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { CommandResult } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { projectFlag } from '../project/choose-project.ts'
import { checkParagraphs } from './check-lines.ts'
import { domainLines, paragraphs } from './domain-lines.ts'
import { displayHostname, parseHostname } from './hostname.ts'
import { isDnsCorrect, isReady, stateTitle } from './status.ts'
import { type DomainValues, type DomainVerb, onDomain } from './verb.ts'
import { watchDomain } from './watch.ts'

export const check: DomainVerb = {
  takes: ['NAME'],
  async run(context, [word = ''], values) {
    const { out, signal } = context
    const hostname = parseHostname(word)
    const client = await context.signedIn()
    const found = await client.checkDomain({ body: { hostname }, signal })
    const place = { now: Date.now(), width: out.width, also: projectFlag(values.project) }
    const paint = out.style.bind(out)
    const kind = kindWords[found.kind]
    const text = paragraphs([
      [`${out.style('bold', displayHostname(found))}  ${out.style('dim', kind)}`],
      ...checkParagraphs(found, place, paint),
      nextStep(found, place.also),
    ]).join('\n')
    return { document: found, text, ...(found.outcome === 'right' ? {} : { failure: blockedError(found) }) }
  },
}

const kindWords = { apex: 'an apex', subdomain: 'a subdomain', wildcard: 'a wildcard' } as const

function nextStep(found: DomainCheck, also: string): string[] {
  const name = shellName(found.hostname)
  // Older servers do not say it.
  if (found.project) {
    const show = `masthead domains show ${name}${projectFlag(found.project)}`
    return [`It is in the project ${found.project}. Its status: ${show}`]
  }
  return found.outcome === 'right'
    ? [`${noBlockersNote(found)} Add it: masthead domains add ${name}${also}`]
    : []
}

function noBlockersNote({ findings }: DomainCheck): string {
  const isToBeProved = findings.some(({ code }) => code === 'challenge_ahead')
  return isToBeProved ? 'Nothing else blocks it.' : 'Nothing blocks it.'
}

function blockedError({ hostname, outcome, project }: DomainCheck): CommandError {
  if (outcome === 'unclear') {
    return new CommandError('domain_unclear', `The DNS of ${hostname} could not be checked.`, '')
  }
  const what = project ? 'is not correct' : 'has records that block it'
  return new CommandError('domain_not_right', `The DNS of ${hostname} ${what}.`, '')
}

export const verify: DomainVerb = {
  takes: ['NAME'],
  options: ['no-wait'],
  run: (context, words, values) => requestCheck(context, words, values, 'verifyDomain'),
}

export const reverify: DomainVerb = {
  takes: ['NAME'],
  options: ['no-wait'],
  run: (context, words, values) => requestCheck(context, words, values, 'reverifyDomain'),
}

async function requestCheck(
  context: CommandContext,
  words: readonly string[],
  values: DomainValues,
  start: 'verifyDomain' | 'reverifyDomain',
): Promise<CommandResult> {
  const { out, signal } = context
  const { client, params } = await onDomain(context, words, values)
  const also = projectFlag(values.project)
  const first = await client[start]({ params, signal })
  if (start === 'reverifyDomain') out.note(certificateNote(first, also))
  const domain = values['no-wait']
    ? first
    : await watchDomain(first, { look: () => client.getDomain({ params, signal }), out, signal, also })
  const place = { now: Date.now(), width: out.width, also }
  const text = domainLines(domain, place, (style, part) => out.style(style, part)).join('\n')
  return {
    document: domain,
    text,
    ...(isDnsCorrect(domain) || isReady(domain) ? {} : { failure: dnsIncorrectError(domain) }),
  }
}

function certificateNote(domain: Domain, also: string): string {
  const { hostname, state } = domain
  if (keepsOwnCertificate(domain)) {
    const takeOver = `masthead domains certificate ${shellName(hostname)} --remove${also}`
    return `No certificate was requested: ${hostname} uses the one you uploaded. Upload another one, or let Masthead take over: ${takeOver}`
  }
  return isReached(state)
    ? `Requested a new certificate for ${hostname}.`
    : `We will request a certificate for ${hostname} as soon as its DNS is correct.`
}

function dnsIncorrectError({ hostname, state, lastCheck }: Domain): CommandError {
  const said =
    lastCheck?.outcome === 'unclear'
      ? `The DNS of ${hostname} could not be checked.`
      : `The DNS of ${hostname} is not correct${state === 'pending' ? ' yet' : ''}: ${stateTitle(state)}.`
  return new CommandError('domain_not_right', said, '')
}
