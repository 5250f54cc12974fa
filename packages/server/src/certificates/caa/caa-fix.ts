import { printableText } from '../../kernel/escape-text.ts'
import { type CaaForbidden, isUnknownCritical } from './caa.ts'

export interface CaaFix {
  /** An instruction without a capital, such as `add a CAA record at acme.com: 0 issue "ca.example"`. */
  sentence: string
  record: { type: 'CAA' | 'CNAME'; fqdn: string; value: string }
}

/**
 * How to allow issuance. CAA records that ask for dns-01 can stay as they are if challenges are delegated to us. A
 * critical property must be removed, because no added record overrides it.
 */
export function caaFix({ at, records, add, delegate }: CaaForbidden): CaaFix {
  if (delegate !== undefined) {
    return {
      sentence: `delegate certificate challenges to us with a CNAME record at ${delegate.fqdn}: ${delegate.value}`,
      record: delegate,
    }
  }
  if (add !== null) {
    return {
      sentence: `add a CAA record at ${add.fqdn}: ${add.value}`,
      record: { type: 'CAA', ...add },
    }
  }
  const { tag = '', value = '' } = records.find(isUnknownCritical) ?? {}
  const text = `128 ${printableText(tag, 30)} "${printableText(value)}"`
  return {
    sentence: `remove the CAA record ${text} at ${at}, or clear its critical flag`,
    record: { type: 'CAA', fqdn: at, value: text },
  }
}
