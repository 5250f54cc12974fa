import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { clockTime } from '../human-time.ts'
import { printable } from '../printable.ts'
import type { Paint } from '../usage/chart.ts'
import { wrap } from '../wrap.ts'
import type { Place } from './check-lines.ts'

/** Why a certificate is not there yet, in the authority's own words too, and what comes next. */
export function certificateLines(
  { hostname, advice, certificate: { lastError, nextAttemptAt } }: Domain,
  place: Place,
  paint: Paint,
): string[] {
  if (lastError === null) return []
  const { authority, message, said, hint, add } = lastError
  const sentences = [
    message,
    said === null ? '' : `${authority} said: "${said}"`,
    hint,
    nextAttemptAt === null ? '' : `The next attempt is at ${clockTime(nextAttemptAt, place.now)}.`,
  ]
  const lines = sentences
    .filter(Boolean)
    .flatMap((sentence) => wrap(printable(sentence, 1_000), place.width, '  '))
  const record = add === null ? [] : [`    ${printable(`${add.type}  ${add.fqdn}  ${add.value}`, 1_000)}`]
  const again =
    advice === 'reverify' ? [`  Try again now: masthead domains reverify ${hostname}${place.also}`] : []
  return [paint('bold', 'Certificate'), ...lines, ...record, ...again]
}
