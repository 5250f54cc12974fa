/**
 * The life of a custom domain: what each state means, whether it is served, what a person may do in it, and what
 * leads where. The reconciler, the edge, the API, the dashboard and docs/domains.md all read these two tables.
 */
export interface DomainStateFacts {
  title: string
  meaning: string
  served: 'no' | 'http' | 'yes'
  /** Whether the service looks at DNS by itself: to find it right, to see that it stays so, or not at all. */
  checked: 'searching' | 'watching' | 'no'
  permits: readonly DomainAction[]
}

export type DomainAction = 'verify' | 'reverify' | 'remove'

export const domainStates = {
  pending: {
    title: 'Waiting for DNS',
    meaning: 'registered; DNS is not right yet and is checked by itself for 48 hours',
    served: 'no',
    checked: 'searching',
    permits: ['verify', 'reverify', 'remove'],
  },
  verified: {
    title: 'Verified',
    meaning: 'DNS is right; the certificate is on its way',
    served: 'http',
    checked: 'watching',
    permits: ['verify', 'reverify', 'remove'],
  },
  live: {
    title: 'Live',
    meaning: 'the certificate is in place and our own request through the edge succeeded',
    served: 'yes',
    checked: 'watching',
    permits: ['verify', 'reverify', 'remove'],
  },
  drifted: {
    title: 'Drifted',
    meaning:
      'was live; DNS no longer points here; served while its certificate is valid, and recovers by itself',
    served: 'yes',
    checked: 'watching',
    permits: ['verify', 'reverify', 'remove'],
  },
  failed: {
    title: 'Stopped',
    meaning: '48 hours without DNS, refused for good, or proved by another account; Verify starts again',
    served: 'no',
    checked: 'no',
    permits: ['verify', 'reverify', 'remove'],
  },
  suspended: {
    title: 'Suspended',
    meaning: 'the plan no longer includes custom domains; an upgrade resumes it',
    served: 'no',
    checked: 'no',
    permits: ['remove'],
  },
} as const satisfies Record<string, DomainStateFacts>

export type DomainState = keyof typeof domainStates
export const domainStateNames = Object.keys(domainStates) as [DomainState, ...DomainState[]]

/** What happened to a domain, and the state that follows. What is not listed changes nothing. */
export const domainTransitions = {
  dns_right: { pending: 'verified', drifted: 'live' },
  /** Before it was live there is nothing to keep; afterwards visitors may still come by old answers. */
  dns_wrong: { verified: 'pending', live: 'drifted' },
  /** 48 hours of searching have passed. */
  time_up: { pending: 'failed' },
  /** A person asked for a check. */
  asked_again: { failed: 'pending' },
  /** Another account proved the name. */
  name_lost: { verified: 'failed', live: 'failed', drifted: 'failed' },
  went_live: { verified: 'live' },
  refused_for_good: { verified: 'failed' },
  /** Where DNS is right a new one may come at any time; elsewhere nobody can get one for it. */
  certificate_expired: { live: 'verified', drifted: 'failed' },
  plan_lapsed: {
    pending: 'suspended',
    verified: 'suspended',
    live: 'suspended',
    drifted: 'suspended',
    failed: 'suspended',
  },
  /** The plan includes custom domains again: it was served and may be at once, has to wait for DNS, or had stopped. */
  resumed_proved: { suspended: 'verified' },
  resumed_waiting: { suspended: 'pending' },
  resumed_stopped: { suspended: 'failed' },
} as const satisfies Record<string, Partial<Record<DomainState, DomainState>>>

export type DomainTrigger = keyof typeof domainTransitions

export function nextDomainState(state: DomainState, trigger: DomainTrigger): DomainState {
  const transitions: Partial<Record<DomainState, DomainState>> = domainTransitions[trigger]
  return transitions[state] ?? state
}

export function isServed(state: DomainState): boolean {
  return domainStates[state].served !== 'no'
}

/**
 * What proves that an apex belongs to an account. Its addresses do not: they are the same for everyone. Whatever is
 * to count as a proof is a row here.
 */
export interface ApexProofFacts {
  title: string
  /** Whether it also takes an apex from an account that is served there and has proved it. */
  takesProved: boolean
}

export const apexProofs = {
  challenge: { title: 'A TXT record with the token of this claim', takesProved: true },
  /** Whoever runs the zone may have let somebody have one name in it without meaning the whole domain. */
  sibling: { title: 'The CNAME record of another name in the same zone', takesProved: false },
} as const satisfies Record<string, ApexProofFacts>

export type ApexProof = keyof typeof apexProofs
export const apexProofNames = Object.keys(apexProofs) as [ApexProof, ...ApexProof[]]

/** What a domain's timeline tells: the kind, and the sentence for a person. */
export const timelineKinds = {
  added: 'The domain was added',
  removed: 'The domain was removed',
  moved: 'The domain was moved from another project',
  primary_changed: 'The primary domain of the project changed',
  redirect_changed: 'Where the domain redirects to changed',
  checked: 'DNS was checked',
  verified: 'DNS is right: the domain is verified',
  unverified: 'DNS is no longer right, and the domain was not live yet: it waits again',
  drifted: 'DNS no longer points here; the domain is still served',
  recovered: 'DNS points here again',
  failed: 'The search for the DNS record ended',
  lost: 'Another account proved that it controls the name',
  proof_asked: 'A proof in DNS that the domain is yours is asked for',
  proof_found: 'The proof that the domain is yours was found in DNS',
  restarted: 'The search for the DNS record started again',
  suspended: 'The plan no longer includes custom domains',
  resumed: 'The plan includes custom domains again',
  certificate_asked: 'A fresh attempt to get a certificate was asked for',
  certificate_ordered: 'A certificate was ordered',
  certificate_issued: 'The certificate is in place',
  certificate_renewed: 'The certificate was renewed',
  certificate_problem: 'An attempt to get a certificate failed; it is made again by itself',
  certificate_refused: 'No certificate can be had for this name, so the domain is no longer served',
  certificate_expired: 'The certificate has run out',
  live: 'Our own request through the edge was answered: the domain is live',
  probed: 'Our own request was answered with the certificate that is in place',
  probe_failed: 'Our own request was not answered as it should be',
} as const

export type TimelineKind = keyof typeof timelineKinds
export const timelineKindNames = Object.keys(timelineKinds) as [TimelineKind, ...TimelineKind[]]
