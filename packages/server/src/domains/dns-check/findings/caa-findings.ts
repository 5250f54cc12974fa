import type { Finding } from '@masthead/contract/schemas/domain.ts'
import { isUnknownCritical } from '../../../certificates/caa.ts'
import { printableText } from '../../../printable-text.ts'
import type { Evidence } from '../evidence.ts'
import { place } from '../instructions.ts'
import { finding } from './finding.ts'

/** Whether a certificate could be had. It does not keep the name from being verified. */
export function caaFindings(evidence: Evidence): Finding[] {
  const { caa, hostname } = evidence.observation
  if (caa.kind === 'allowed') return []
  const why = caa.kind === 'unclear' ? printableText(caa.why.replace(/\.$/, '')) : caa.why
  if (caa.kind === 'unclear') {
    return [
      finding('caa_unclear', {
        message: `CAA could not be checked for ${hostname}: ${why}.`,
        fix:
          'A certificate authority that cannot read it either will not issue. ' +
          'If it stays, ask whoever runs the nameservers.',
      }),
    ]
  }
  const barrier = caa.records.find(isUnknownCritical)
  const message = `The CAA records at ${caa.at} forbid a certificate for ${hostname}: ${why}.`
  if (barrier !== undefined) {
    const { tag, value } = barrier
    const text = `128 ${printableText(tag, 30)} "${printableText(value)}"`
    return [
      finding('caa_blocks', {
        message,
        fix: `${place(evidence)}, remove the CAA record ${text} at ${caa.at}, or clear its critical flag.`,
        records: [{ type: 'CAA', fqdn: caa.at, value: text }],
      }),
    ]
  }
  return [
    finding('caa_blocks', {
      message,
      fix: `${place(evidence)}, add a CAA record at ${caa.add.fqdn}: ${caa.add.value}`,
      records: [{ type: 'CAA', ...caa.add }],
    }),
  ]
}
