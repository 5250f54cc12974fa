import type { Finding } from '@masthead/contract/schemas/domain.ts'
import type { CaaForbidden } from '../../../certificates/caa/caa.ts'
import { caaFix } from '../../../certificates/caa/caa-fix.ts'
import { printableText } from '../../../kernel/escape-text.ts'
import type { Evidence } from '../evidence.ts'
import { whereToEdit } from '../instructions.ts'
import { finding } from './finding.ts'

/** Whether a certificate could be had. It does not keep the name from being verified. */
export function caaFindings(evidence: Evidence): Finding[] {
  const { caa, hostname } = evidence.observation
  if (caa.kind === 'allowed') return []
  if (caa.kind === 'forbidden') return [blocked(evidence, caa)]
  return [
    finding('caa_unclear', {
      message: `CAA could not be checked for ${hostname}: ${printableText(caa.why.replace(/\.$/, ''))}.`,
      fix:
        caa.cause === 'unknown_account'
          ? 'Nothing yet: it is checked again when the first certificate is ordered.'
          : 'A certificate authority that cannot read it either will not issue. ' +
            'If it stays, ask whoever runs the nameservers.',
    }),
  ]
}

function blocked(evidence: Evidence, caa: CaaForbidden): Finding {
  const { hostname } = evidence.observation
  const { at, behind, why } = caa
  const { sentence, record } = caaFix(caa)
  if (behind === null) {
    return finding('caa_blocks', {
      message: `The CAA records at ${at} forbid a certificate for ${hostname}: ${why}.`,
      fix: `${whereToEdit(evidence)}, ${sentence}`,
      records: [record],
    })
  }
  // Beside a CNAME no other record can stand, so only where it leads to can anything be added.
  const goesAway = behind === hostname && !evidence.allRight
  const asking = `Ask whoever runs ${at} to ${sentence}`
  return finding('caa_blocks', {
    message: `The CAA records at ${at}, where ${behind} leads to, forbid a certificate for ${hostname}: ${why}.`,
    fix: goesAway ? `Nothing to do: they no longer count once ${hostname} leads here.` : asking,
    ...(!goesAway && { records: [record] }),
  })
}
