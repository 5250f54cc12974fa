import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { formatList } from '../../../kernel/english.ts'
import { looksLikeToken } from '../../../kernel/tokens.ts'
import { challengeName, type ProofRequirement } from '../../records.ts'
import { type Evidence, foundProof, isDirect, unquoted } from '../evidence.ts'
import { recordInstruction } from '../instructions.ts'
import { finding } from './finding.ts'

/** Whether DNS proves ownership of an apex, what would prove it, and which values of other claims are still there. */
export function ownershipFindings(evidence: Evidence): Finding[] {
  const { wanted } = evidence
  const { coverage } = wanted
  if (coverage?.by === 'other') {
    if (!coverage.holds || wanted.kind === 'wildcard') return [provedElsewhere(evidence, coverage.domain)]
    return [keptUnderProof(evidence, coverage.domain), ...own(evidence)]
  }
  return own(evidence)
}

function own(evidence: Evidence): Finding[] {
  const { wanted, answers } = evidence
  const { proof } = wanted
  if (proof === null || answers.length === 0) return []
  // Its CNAME, which no proxy hides at the moment, proves it.
  if (wanted.kind === 'subdomain' && isDirect(evidence)) return []
  const isProved = proof.need === 'given' || foundProof(evidence) !== null
  if (isProved) return otherClaims(evidence)
  if (wanted.kind === 'wildcard') return [unprovedWildcard(evidence, proof)]
  if (proof.challenge === null) return [ahead(evidence, proof)]
  if (proof.need === 'asked') return [due(evidence, proof, proof.challenge)]
  const isUnclear = evidence.observation.challenge === null
  return [isUnclear ? unclear(evidence) : missing(evidence, proof, proof.challenge)]
}

/** Does not say which account it is. */
function provedElsewhere({ wanted: { hostname } }: Evidence, domain: string): Finding {
  return finding('domain_proved_elsewhere', {
    message: `Another account has proved ${domain}, so only it can use ${hostname}.`,
    fix: `If you own ${domain}, prove it for this account: \`masthead domains prove ${domain}\` shows the record to set.`,
  })
}

function keptUnderProof({ wanted: { hostname } }: Evidence, domain: string): Finding {
  return finding('kept_under_proof', {
    message: `Another account has proved ${domain}. ${hostname} stays yours while its record points here.`,
    fix: `If you own ${domain}, prove it for this account: \`masthead domains prove ${domain}\` shows the record to set.`,
  })
}

/** Its CNAME proves one name, and the wildcard is for all of them. */
function unprovedWildcard(evidence: Evidence, { at, challenge }: ProofRequirement): Finding {
  const { hostname, registrable, target } = evidence.wanted
  const domain = at ?? registrable
  const message = `A wildcard needs the proof that ${domain} is yours: one TXT record for the whole domain.`
  if (target === null) {
    const fix = `Nothing to do yet: once you add ${hostname}, we show the record.`
    return finding('challenge_ahead', { message, fix })
  }
  const fqdn = challengeName(domain)
  if (challenge === null) {
    const fix = `Prove it on the account's page Proved domains, or run \`masthead domains prove ${domain}\`.`
    return finding('wildcard_unproved', { message, fix })
  }
  return finding('wildcard_unproved', {
    message,
    fix: recordInstruction(evidence, 'add', { type: 'TXT', fqdn, value: challenge }),
    records: [{ type: 'TXT', fqdn, value: challenge }],
  })
}

const why =
  'Everyone on this server shares the same addresses, so an apex needs another record to prove that you own it.'

const whyProxied =
  'Everyone can use the addresses of a proxy, so another record has to prove that you own it.'

function missing(evidence: Evidence, proof: ProofRequirement, challenge: string): Finding {
  const { hostname } = evidence.wanted
  const fqdn = challengeName(hostname)
  const seen = evidence.observation.challenge ?? []
  const instead =
    seen.length === 0 ? 'there is none' : `there is ${formatList(seen.map((value) => `"${value}"`))}`
  const text = proof.siblings.length > 0 ? '' : ` At ${fqdn} ${instead}; it should be "${challenge}".`
  return finding('challenge_missing', {
    message: `DNS does not prove yet that you own ${hostname}. ${evidence.wanted.proxy === null ? why : whyProxied}${text}`,
    fix: waysToProve(evidence, proof, challenge),
    records: [{ type: 'TXT', fqdn, value: challenge }],
  })
}

function due(evidence: Evidence, proof: ProofRequirement, challenge: string): Finding {
  const { hostname } = evidence.wanted
  return finding('proof_due', {
    message:
      `${hostname} went live before we asked for proof of ownership. ${why} It stays live, but the first account ` +
      'that proves it takes it over, and after the date given it only recovers from wrong DNS with a proof.',
    fix: waysToProve(evidence, proof, challenge),
    records: [{ type: 'TXT', fqdn: challengeName(hostname), value: challenge }],
    ...(proof.dueAt !== null && { until: isoTime(proof.dueAt) }),
  })
}

/** Least work first: a record that has to be set anyway, then an additional one. */
function waysToProve(evidence: Evidence, { siblings }: ProofRequirement, challenge: string): string {
  const fqdn = challengeName(evidence.wanted.hostname)
  const text = recordInstruction(evidence, 'add', { type: 'TXT', fqdn, value: challenge })
  const [first] = siblings
  const { proxy, registrable } = evidence.wanted
  if (proxy !== null) {
    return `${text} Or prove all of ${registrable} for this account: \`masthead domains prove ${registrable}\`.`
  }
  if (first === undefined) {
    const name = `www.${evidence.wanted.hostname}`
    return `Add ${name} to your project too: its CNAME record proves both domains. Alternatively: ${text}`
  }
  const isDelegated = evidence.observation.siblings.every(({ outcome }) => outcome === 'delegated')
  if (isDelegated) return text
  return (
    `Set the CNAME record of ${first.hostname}, which you have already added: it proves both domains. ` +
    `Alternatively: ${text}`
  )
}

function ahead(evidence: Evidence, { siblings }: ProofRequirement): Finding {
  const { hostname } = evidence.wanted
  const [first] = siblings
  return finding('challenge_ahead', {
    message: `You will need to prove in DNS that you own ${hostname}: with ${
      first === undefined
        ? `the CNAME record of www.${hostname}, if you add both, or a TXT record`
        : `the CNAME record of ${first.hostname}, which you have already added`
    }.`,
    fix:
      first === undefined
        ? `Add www.${hostname} as well, or set the TXT record at ${challengeName(hostname)} that we show once you add it.`
        : `Set the CNAME record of ${first.hostname}; nothing else is needed for ${hostname}.`,
  })
}

function unclear({ wanted: { hostname } }: Evidence): Finding {
  return finding('challenge_unclear', {
    message: `We couldn't check the proof that you own ${hostname}.`,
    fix: 'Nothing to do: a live domain stays up, and we retry automatically.',
  })
}

/**
 * The value of another claim is void. Left in DNS, it only confuses. Any other text is left alone: it may come from a
 * wildcard record.
 */
function otherClaims({ observation, wanted }: Evidence): Finding[] {
  const { hostname, proof } = wanted
  const own = [proof?.challenge, proof?.accountChallenge]
  const tokens = (observation.challenge ?? []).map(unquoted).filter(looksLikeToken)
  const others = tokens.filter((token) => !own.includes(token))
  if (others.length === 0) return []
  const fqdn = challengeName(hostname)
  const shown = formatList(others.map((value) => `"${value}"`))
  return [
    finding('challenge_other', {
      message: `${fqdn} also has ${shown}, which is not the token for your claim.`,
      fix: `Remove it: it may belong to another account, and you do not need it.`,
    }),
  ]
}
