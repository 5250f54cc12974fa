/**
 * The lifecycle of a custom domain: what each state means, whether the domain is served, what people can do, and which
 * state follows. The reconciler, the edge, the API, the dashboard and docs/domains.md all use these two tables.
 */
export interface DomainStateFacts {
  title: string
  meaning: string
  served: 'no' | 'http' | 'yes'
  /** Whether we check DNS automatically: until it is right, to see that it stays right, or not at all. */
  checked: 'searching' | 'watching' | 'no'
  permits: readonly DomainAction[]
}

/** A wildcard is for every name one label below it that is not a domain of its own. */
export const domainKindNames = ['subdomain', 'apex', 'wildcard'] as const
export type DomainKind = (typeof domainKindNames)[number]

export type DomainAction = 'verify' | 'reverify' | 'remove'

export const domainStates = {
  pending: {
    title: 'Waiting for DNS',
    meaning: 'added; DNS is not right yet and is checked automatically for 48 hours',
    served: 'no',
    checked: 'searching',
    permits: ['verify', 'reverify', 'remove'],
  },
  prepared: {
    title: 'Prepared',
    meaning:
      'DNS still points elsewhere, but certificate challenges are delegated to us: the certificate is obtained and visitors would be served',
    served: 'http',
    checked: 'watching',
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
    meaning: 'the certificate is installed and our test request through the edge succeeded',
    served: 'yes',
    checked: 'watching',
    permits: ['verify', 'reverify', 'remove'],
  },
  drifted: {
    title: 'Drifted',
    meaning:
      'was live; DNS no longer points here; served while its certificate is valid, and recovers automatically',
    served: 'yes',
    checked: 'watching',
    permits: ['verify', 'reverify', 'remove'],
  },
  failed: {
    title: 'Stopped',
    meaning:
      'no DNS for 48 hours, certificate refused for good, or proved by another account; Verify starts again',
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

/** The state that follows each trigger. A state that is not listed does not change. */
export const domainTransitions = {
  dns_right: { pending: 'verified', prepared: 'verified', drifted: 'live' },
  /** The record that delegates certificate challenges to this claim was found. */
  delegated: { pending: 'prepared' },
  undelegated: { prepared: 'pending' },
  /** Once a domain was live, visitors may still arrive through cached DNS answers, so it stays served. */
  dns_wrong: { verified: 'pending', live: 'drifted' },
  /** 48 hours of checks have passed. */
  time_up: { pending: 'failed' },
  /** A person asked for a check. */
  asked_again: { failed: 'pending' },
  /** Another account proved that it owns the name. */
  name_lost: { prepared: 'failed', verified: 'failed', live: 'failed', drifted: 'failed' },
  went_live: { verified: 'live' },
  refused_for_good: { prepared: 'failed', verified: 'failed' },
  /** Where DNS is right, a new certificate may still arrive. Where it is not, none can be issued. */
  certificate_expired: { prepared: 'pending', live: 'verified', drifted: 'failed' },
  plan_lapsed: {
    pending: 'suspended',
    prepared: 'suspended',
    verified: 'suspended',
    live: 'suspended',
    drifted: 'suspended',
    failed: 'suspended',
  },
  /** The plan includes custom domains again: the domain waits for DNS, or had failed before. */
  resumed: { suspended: 'pending' },
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

/** Whether visitors arrive here. A prepared domain is served, but its visitors are still sent elsewhere. */
export function isReached(state: DomainState): boolean {
  return isServed(state) && state !== 'prepared'
}

/** Whether DNS leads here, as far as we know. Where it does not, the name may be in somebody else's hands. */
export function isPointedHere(state: DomainState): boolean {
  return isReached(state) && state !== 'drifted'
}

/** The entries of a domain's timeline: the kind, and a sentence for people. */
export const timelineKinds = {
  added: 'The domain was added',
  removed: 'The domain was removed',
  moved: 'The domain was moved here from another project',
  primary_changed: 'The primary domain of the project changed',
  redirect_changed: 'The redirect of the domain changed',
  branch_changed: 'The branch that the domain shows changed',
  proxied: 'The domain was marked as behind a proxy or CDN',
  unproxied: 'The domain is no longer marked as behind a proxy',
  checked: 'DNS was checked',
  prepared: 'Certificate challenges are delegated to us: the move is being prepared',
  unprepared: 'Certificate challenges are no longer delegated to us',
  verified: 'DNS is set up correctly: the domain is verified',
  unverified: 'DNS changed before the domain was live: waiting for DNS again',
  drifted: 'DNS no longer points here. The domain is still served',
  recovered: 'DNS points here again',
  failed: 'We stopped checking for the DNS record',
  lost: 'Another account proved that it owns the domain',
  proof_asked: 'We asked for proof in DNS that you own the domain',
  proof_found: 'Proof that you own the domain was found in DNS',
  restarted: 'We started checking for the DNS record again',
  suspended: 'The plan no longer includes custom domains',
  resumed: 'The plan includes custom domains again',
  certificate_asked: 'A new certificate attempt was requested',
  certificate_ordered: 'A certificate was ordered',
  certificate_issued: 'The certificate was issued and installed',
  certificate_renewed: 'The certificate was renewed',
  certificate_problem: 'Getting a certificate failed',
  certificate_refused: 'No certificate can be issued for this domain, so it is no longer served',
  certificate_expired: 'The certificate expired',
  certificate_uploaded: 'A certificate of your own was uploaded',
  own_certificate_installed: 'Your own certificate was installed',
  certificate_handed_over: 'Masthead was asked to take over the certificate',
  certificate_expiring:
    'Your own certificate is about to expire. Upload a new one, or let Masthead take over',
  live: 'Our test request through the edge succeeded: the domain is live',
  probed: 'Our test request was answered with the installed certificate',
  probe_failed: 'Our test request did not succeed',
} as const

export type TimelineKind = keyof typeof timelineKinds
export const timelineKindNames = Object.keys(timelineKinds) as [TimelineKind, ...TimelineKind[]]
