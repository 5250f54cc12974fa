import type { Finding, RecordChange } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { CaaForbidden } from '../../../certificates/caa/caa.ts'
import { caaFix } from '../../../certificates/caa/caa-fix.ts'
import { isWithin } from '../../../dns/domain-name.ts'
import { printableText } from '../../../kernel/escape-text.ts'
import { recordName, wantedTtl } from '../../records.ts'
import type { Evidence } from '../evidence.ts'
import { whereToEdit } from '../instructions.ts'
import { finding } from './finding.ts'

/** Whether a certificate could be issued. It does not keep the domain from being verified. */
export function caaFindings(evidence: Evidence): Finding[] {
  const { caa, hostname } = evidence.observation
  if (caa.kind === 'allowed') return []
  if (caa.kind === 'forbidden') return [blocked(evidence, caa)]
  return [
    finding('caa_unclear', {
      message: `We couldn't check the CAA records for ${hostname}: ${printableText(caa.why.replace(/\.$/, ''))}.`,
      fix:
        caa.cause === 'unknown_account'
          ? 'Nothing to do yet: we check again when the first certificate is ordered.'
          : 'A certificate authority that cannot read them either will not issue a certificate. ' +
            'If this continues, contact your DNS provider.',
    }),
  ]
}

function blocked(evidence: Evidence, caa: CaaForbidden): Finding {
  const { hostname } = evidence.observation
  const { at, behind, why } = caa
  const { sentence, record } = caaFix(caa)
  const here = `${whereToEdit(evidence)}, ${sentence}`
  if (behind === null) {
    return finding('caa_blocks', {
      message: `The CAA records at ${at} block our certificate for ${hostname}: ${why}.`,
      fix: here,
      records: [record],
    })
  }
  // No other record can exist next to a CNAME, so only the zone it points to can be changed.
  const goesAway = goesAwayWith(evidence, caa)
  const asking = caa.delegate === undefined ? `Ask the owner of ${at} to ${sentence}` : here
  return finding('caa_blocks', {
    message: `The CAA records at ${at}, which ${behind} points to, block our certificate for ${hostname}: ${why}.`,
    fix: goesAway ? `Nothing to do: they no longer apply once ${hostname} points here.` : asking,
    ...(!goesAway && { records: [record] }),
  })
}

/** The records are behind a CNAME that will be replaced. */
function goesAwayWith({ observation, allRight }: Evidence, { behind }: CaaForbidden): boolean {
  return behind === observation.hostname && !allRight
}

/** The same as a change to the zone of the name, unless the records are in the zone of someone else. */
export function caaChanges(evidence: Evidence): RecordChange[] {
  const { observation, wanted, zone, answers } = evidence
  const { caa } = observation
  if (caa.kind !== 'forbidden' || answers.length === 0 || goesAwayWith(evidence, caa)) return []
  const { type, fqdn, value } = caaFix(caa).record
  const isElsewhere = caa.behind !== null && caa.delegate === undefined
  if (isElsewhere || !isWithin(fqdn, wanted.registrable)) return []
  const record = { type, name: recordName(fqdn, wanted, zone), fqdn, ttl: wantedTtl }
  const isToRemove = caa.add === null && caa.delegate === undefined
  return [
    isToRemove
      ? { ...record, action: 'remove', from: value, to: null }
      : { ...record, action: 'add', from: null, to: value },
  ]
}
