import { findingsBeside } from '@masthead/contract/certificate-trouble.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Paint } from '../usage/chart.ts'
import { wrap } from '../wrap.ts'
import { certificateLines } from './certificate-lines.ts'
import { checkParagraphs, type Place } from './check-lines.ts'
import { alternativeLines, recordTable } from './record-lines.ts'
import { bothForms } from './typed-name.ts'
import { isSettled, statusStyle, statusTitle, waitedFor, waitLine } from './waited-for.ts'

/** A domain with its state, the last look at its DNS, and what is waited for. */
export function domainLines(domain: Domain, place: Place, paint: Paint): string[] {
  const { lastCheck, records } = domain
  const title = `${paint('bold', bothForms(domain))}  ${paint(statusStyle(domain), statusTitle(domain))}`
  const unset = records.filter(({ status }) => status !== 'ok')
  return paragraphs([
    [title, ...wrap(waitedFor(domain, place), place.width)],
    certificateLines(domain, place, paint),
    ...(lastCheck === null
      ? []
      : checkParagraphs({ ...lastCheck, findings: findingsBeside(domain) }, place, paint)),
    ...(lastCheck === null ? [recordTable(records, paint)] : []),
    alternativeLines(unset, paint),
    isSettled(domain) ? [] : wrap(waitLine(domain, place.now), place.width).map((line) => paint('dim', line)),
  ])
}

/** With an empty line between those that have lines. */
export function paragraphs(parts: readonly (readonly string[])[]): string[] {
  return parts.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]))
}
