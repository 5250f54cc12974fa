import { otherFindings } from '@masthead/contract/domains/certificate-trouble.ts'
import { replacedRecords } from '@masthead/contract/domains/replaced-records.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { clockTime } from '../terminal/format.ts'
import { sanitize, wrapText } from '../terminal/layout.ts'
import type { Paint } from '../terminal/output.ts'
import { alternativeLines, checkParagraphs, type LineContext, recordTable } from './check-lines.ts'
import { displayHostname } from './hostname.ts'
import { proxiedLines } from './proxied/proxied-lines.ts'
import { isSettled, pendingReason, statusStyle, statusTitle, waitingLine } from './status.ts'

/** Why the certificate failed, with the authority's own message, and when the next attempt is. */
export function certificateLines(
  { hostname, advice, certificate: { lastError, nextAttemptAt } }: Domain,
  place: LineContext,
  paint: Paint,
): string[] {
  if (lastError === null) return []
  const { authority, message, said, hint, add } = lastError
  const sentences = [
    message,
    said === null || message.includes(said) ? '' : `${authority} said: "${said}"`,
    hint,
    nextAttemptAt === null ? '' : `The next attempt is at ${clockTime(nextAttemptAt, place.now)}.`,
  ]
  const lines = sentences
    .filter(Boolean)
    .flatMap((sentence) => wrapText(sanitize(sentence, 1_000), place.width, '  '))
  const record = add === null ? [] : [`    ${sanitize(`${add.type}  ${add.fqdn}  ${add.value}`, 1_000)}`]
  const again =
    advice === 'reverify'
      ? [`  Try again now: masthead domains reverify ${shellName(hostname)}${place.also}`]
      : []
  return [paint('bold', 'Certificate'), ...lines, ...record, ...again]
}

/** The certificate that was uploaded: who issued it, until when it is valid, and what to do about it. */
export function ownCertificateLines(
  { hostname, advice, certificate: { own } }: Pick<Domain, 'hostname' | 'advice' | 'certificate'>,
  { now, width, also }: LineContext,
): string[] {
  if (own === null) return []
  const sentences = [
    `Your own certificate for ${hostname} is from ${own.issuer} and valid until ${clockTime(own.notAfter, now)}.`,
    own.inUse ? '' : 'It is used as soon as DNS points here.',
    own.trusted
      ? ''
      : 'Browsers may not trust it: its chain does not end at a public root. Add the intermediates, unless it is from your own CA.',
    advice === 'replace_certificate'
      ? `It expires soon. Upload a new one, or let Masthead take over: masthead domains certificate ${shellName(hostname)} --remove${also}`
      : '',
  ]
  return sentences.filter(Boolean).flatMap((sentence) => wrapText(sanitize(sentence, 1_000), width))
}

/** A domain with its status, its last DNS check and the next step. */
export function domainLines(domain: Domain, place: LineContext, paint: Paint): string[] {
  const { lastCheck, records } = domain
  const title = `${paint('bold', displayHostname(domain))}  ${paint(statusStyle(domain), statusTitle(domain))}`
  const unset = records.filter(({ status }) => status !== 'ok')
  return paragraphs([
    [title, ...branchLines(domain), ...wrapText(pendingReason(domain, place), place.width)],
    certificateLines(domain, place, paint),
    ownCertificateLines(domain, place),
    ...(lastCheck === null
      ? []
      : checkParagraphs({ ...lastCheck, findings: otherFindings(domain) }, place, paint)),
    ...(lastCheck === null ? [recordTable(records, paint)] : []),
    alternativeLines(unset, paint),
    proxiedLines(domain, place.width, paint),
    preparationLines(domain, place, paint),
    isSettled(domain)
      ? []
      : wrapText(waitingLine(domain, place.now), place.width).map((line) => paint('dim', line)),
  ])
}

function branchLines({ branch }: Domain): string[] {
  return branch === null ? [] : [`Shows the newest deployment of the branch ${sanitize(branch)}.`]
}

/** The record that gets the certificate before the move, or how far the move is prepared. */
function preparationLines(
  { preparation, state, hostname }: Domain,
  { width }: Pick<LineContext, 'width'>,
  paint: Paint,
): string[] {
  if (preparation === null) return []
  const { record, certificate, tested } = preparation
  if (state !== 'prepared') {
    const offer = 'Is the site live elsewhere? Set this record first to get its certificate before you move:'
    const replaced = sanitize(replacedRecords(record), 1_000)
    return [...wrapText(offer, width), ...recordTable([record], paint), ...wrapText(replaced, width, '  ')]
  }
  const steps = [
    { word: 'Delegation found', isDone: true },
    { word: 'Site published', isDone: true },
    { word: 'Certificate in place', isDone: certificate },
    { word: 'Tested through our edge', isDone: tested },
  ]
  return [
    paint('bold', 'Preparation'),
    ...steps.map(({ word, isDone }) => `  ${isDone ? paint('green', '✓') : paint('dim', '·')} ${word}`),
    ...(preparation.ready ? ['', ...wrapText(moveWords(hostname), width)] : []),
  ]
}

function moveWords(hostname: string): string {
  return `To move ${hostname} here, change its records as shown above, whenever you like. Visitors see no error meanwhile.`
}

/** Joins the non-empty parts with empty lines. */
export function paragraphs(parts: readonly (readonly string[])[]): string[] {
  return parts.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}
