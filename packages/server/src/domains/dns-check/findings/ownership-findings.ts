import type { Finding } from '@masthead/contract/schemas/domain.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { formatList } from '../../../kernel/english.ts'
import { challengeName, type ProofRequirement } from '../../records.ts'
import { type Evidence, foundProof, unquoted } from '../evidence.ts'
import { recordInstruction } from '../instructions.ts'
import { finding } from './finding.ts'

/** Whether something in DNS proves an apex, what would, and which records of others are still there. */
export function ownershipFindings(evidence: Evidence): Finding[] {
  const { wanted, answers } = evidence
  const { proof } = wanted
  if (proof === null || answers.length === 0) return []
  const isProved = proof.need === 'given' || foundProof(evidence) !== null
  if (isProved) return otherClaims(evidence)
  if (proof.challenge === null) return [ahead(evidence, proof)]
  if (proof.need === 'asked') return [due(evidence, proof, proof.challenge)]
  const isUnclear = evidence.observation.challenge === null
  return [isUnclear ? unclear(evidence) : missing(evidence, proof, proof.challenge)]
}

const why =
  'An apex points to addresses that all share, so something else in DNS has to prove that it is yours.'

function missing(evidence: Evidence, proof: ProofRequirement, challenge: string): Finding {
  const { hostname } = evidence.wanted
  const fqdn = challengeName(hostname)
  const seen = evidence.observation.challenge ?? []
  const instead =
    seen.length === 0 ? 'there is none' : `there is ${formatList(seen.map((value) => `"${value}"`))}`
  const text = proof.siblings.length > 0 ? '' : ` At ${fqdn} ${instead}; it should be "${challenge}".`
  return finding('challenge_missing', {
    message: `Nothing proves yet that ${hostname} is yours. ${why}${text}`,
    fix: waysToProve(evidence, proof, challenge),
    records: [{ type: 'TXT', fqdn, value: challenge }],
  })
}

function due(evidence: Evidence, proof: ProofRequirement, challenge: string): Finding {
  const { hostname } = evidence.wanted
  return finding('proof_due', {
    message:
      `${hostname} went live before proofs were asked for. ${why} It stays served, but whoever proves it first ` +
      'takes it, and after the date given it comes back from wrong DNS only with a proof.',
    fix: waysToProve(evidence, proof, challenge),
    records: [{ type: 'TXT', fqdn: challengeName(hostname), value: challenge }],
    ...(proof.dueAt !== null && { until: isoTime(proof.dueAt) }),
  })
}

/** The least work first: a record that has to be set anyway, then one more. */
function waysToProve(evidence: Evidence, { siblings }: ProofRequirement, challenge: string): string {
  const fqdn = challengeName(evidence.wanted.hostname)
  const text = recordInstruction(evidence, 'add', { type: 'TXT', fqdn, value: challenge })
  const [first] = siblings
  if (first === undefined) {
    const name = `www.${evidence.wanted.hostname}`
    return `${text} Or add ${name} here too: its CNAME record proves both.`
  }
  const isDelegated = evidence.observation.siblings.every(({ outcome }) => outcome === 'delegated')
  if (isDelegated) return text
  return (
    `Set the CNAME record of ${first.hostname}, which this account has added: it proves both names. ` +
    `Without it: ${text}`
  )
}

function ahead(evidence: Evidence, { siblings }: ProofRequirement): Finding {
  const { hostname } = evidence.wanted
  const [first] = siblings
  return finding('challenge_ahead', {
    message: `Something in DNS will have to prove that ${hostname} is yours: ${
      first === undefined
        ? `the CNAME record of www.${hostname}, if you add both, or a TXT record`
        : `the CNAME record of ${first.hostname}, which this account has added`
    }.`,
    fix:
      first === undefined
        ? `Add www.${hostname} together with it, or set the TXT record at ${challengeName(hostname)} that is shown then.`
        : `Set the CNAME record of ${first.hostname}; nothing else is needed for ${hostname}.`,
  })
}

function unclear({ wanted: { hostname } }: Evidence): Finding {
  return finding('challenge_unclear', {
    message: `What has to prove that ${hostname} is yours could not be asked for in DNS.`,
    fix: 'Nothing is taken away, and it is tried again automatically.',
  })
}

/** A value that was for another claim is void; left there it only misleads. */
function otherClaims({ observation, wanted }: Evidence): Finding[] {
  const { hostname, proof } = wanted
  const others = (observation.challenge ?? []).filter((value) => unquoted(value) !== proof?.challenge)
  if (others.length === 0) return []
  const fqdn = challengeName(hostname)
  const shown = formatList(others.map((value) => `"${value}"`))
  return [
    finding('challenge_other', {
      message: `At ${fqdn} there is also ${shown}, which is not the token of your claim.`,
      fix: `Remove it: another account may have been given it, and it does nothing for you.`,
    }),
  ]
}
