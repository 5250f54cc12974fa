import type { Finding } from '@masthead/contract/schemas/domain.ts'
import { challengeName } from '../../records.ts'
import type { Evidence } from '../evidence.ts'
import { setting } from '../instructions.ts'
import { finding } from './finding.ts'
import { listing } from './wording.ts'

/** Whether the TXT record is there that proves ownership, where it is asked for. */
export function ownershipFindings(evidence: Evidence): Finding[] {
  const { wanted, observation, answers } = evidence
  const { hostname, challenge } = wanted
  if (challenge === null || answers.length === 0) return []
  const fqdn = challengeName(hostname)
  const seen = observation.challenge
  if (seen === null) {
    return [
      finding('challenge_unclear', {
        message: `The TXT record at ${fqdn}, which has to prove that ${hostname} is yours, could not be asked for.`,
        fix: 'Nothing is taken away, and it is tried again by itself.',
      }),
    ]
  }
  if (isProved(seen, challenge)) return []
  const instead =
    seen.length === 0 ? 'there is none' : `there is ${listing(seen.map((value) => `"${value}"`))}`
  return [
    finding('challenge_missing', {
      message:
        `Another account claims ${hostname} or did before, so a TXT record has to prove that it is yours. ` +
        `At ${fqdn} ${instead}; it should be "${challenge}".`,
      fix: setting(evidence, 'add', { type: 'TXT', fqdn, value: challenge }),
      records: [{ type: 'TXT', fqdn, value: challenge }],
    }),
  ]
}

/** Some providers keep the quotes that were pasted around a value. */
export function isProved(seen: readonly string[], challenge: string): boolean {
  return seen.some((value) => value.replace(/^[\s"]+|[\s"]+$/g, '') === challenge)
}
