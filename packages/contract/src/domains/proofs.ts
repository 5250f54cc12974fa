/**
 * The one model of proof: what proves that a name belongs to an account, which proof wins, and what ends it. The server,
 * the API, the command line, the dashboard and docs/domains.md all read these tables.
 */

/** What can be proved. A zone is a registrable domain, or a name below one with nameservers of its own. */
export const provables = {
  subdomain: 'A subdomain, such as www.acme.com',
  proxied: 'A subdomain behind a proxy or CDN, which hides where it points',
  apex: 'An apex, such as acme.com, as an address of a site',
  wildcard: 'A wildcard, such as *.acme.com',
  zone: 'A whole domain: acme.com and everything below it',
} as const

export type Provable = keyof typeof provables

export interface ProofKindFacts {
  title: string
  proves: readonly Provable[]
  /** Whether it takes a name from an account that has proved it and is being served. */
  takesProved: boolean
  /** What ends it. */
  ends: string
}

/** Least work first: the order in which people are asked for them. */
export const proofKinds = {
  /** Only an account shown the target can have it in DNS, so it is the routing record and the proof in one. */
  target: {
    title: 'A CNAME record with the target of this domain',
    proves: ['subdomain'],
    takesProved: true,
    ends: 'the record is removed or changed',
  },
  /** Its target has the same random label, which only this claim was shown. */
  delegation: {
    title: 'A CNAME record that delegates certificate challenges to this claim',
    proves: ['subdomain', 'proxied', 'apex'],
    takesProved: false,
    ends: 'the record is removed before the domain points here, or another account proves the domain',
  },
  account: {
    title: "The account's proof of the whole domain",
    proves: ['subdomain', 'proxied', 'apex', 'wildcard'],
    takesProved: true,
    ends: 'the proof of the whole domain ends or is removed',
  },
  /** The owner of a zone may have handed out one name in it, to an agency say, but not the whole domain. */
  sibling: {
    title: 'A CNAME record of another name in the same zone',
    proves: ['apex'],
    takesProved: false,
    ends: 'another account proves the domain',
  },
  challenge: {
    title: 'A TXT record with the token for this claim',
    proves: ['proxied', 'apex'],
    takesProved: true,
    ends: 'another account proves the domain, which voids the token',
  },
  zone: {
    title: 'A TXT record with the token of the account',
    proves: ['zone'],
    takesProved: true,
    ends: 'another account proves the same domain, or the record is missing for 30 days',
  },
} as const satisfies Record<string, ProofKindFacts>

export type ProofKind = keyof typeof proofKinds

/** What proves an apex, or a name behind a proxy. Addresses do not: they are the same for everyone. */
export const apexProofs = {
  account: proofKinds.account,
  delegation: proofKinds.delegation,
  challenge: proofKinds.challenge,
  sibling: proofKinds.sibling,
} as const satisfies Partial<Record<ProofKind, ProofKindFacts>>

export type ApexProof = keyof typeof apexProofs
export const apexProofNames = Object.keys(apexProofs) as [ApexProof, ...ApexProof[]]

/** Who wins when two accounts have a proof, in the order in which the rules apply. */
export const proofPrecedence = [
  'The most specific proved zone decides: a proof of dept.acme.com, if it has its own nameservers, counts there instead of a proof of acme.com.',
  'Of two proofs of the same domain, the fresh one wins, and the tokens of all others become void.',
  'Nobody else can add, verify or certify a name under a domain that an account has proved.',
  'A wildcard covers no name that another account has proved, as a domain or by a record of its own.',
  'An account that already serves such a name keeps it while its own record stays in DNS, until the account that proved the domain adds the name with its own record.',
] as const

export interface ProofStateFacts {
  title: string
  meaning: string
  /** Whether the account owns the domain and everything below it. */
  stands: boolean
  checked: 'searching' | 'watching' | 'no'
}

export const proofStates = {
  pending: {
    title: 'Waiting for DNS',
    meaning: 'the TXT record was not found yet; checked automatically for 48 hours',
    stands: false,
    checked: 'searching',
  },
  proved: {
    title: 'Proved',
    meaning: 'the TXT record is in DNS; checked daily',
    stands: true,
    checked: 'watching',
  },
  drifted: {
    title: 'Record missing',
    meaning: 'the TXT record is gone; the proof ends after 30 days without it',
    stands: true,
    checked: 'watching',
  },
  ended: {
    title: 'Not proved',
    meaning: 'not found in time, missing for 30 days, or proved by another account; Verify starts again',
    stands: false,
    checked: 'no',
  },
} as const satisfies Record<string, ProofStateFacts>

export type ProofState = keyof typeof proofStates
export const proofStateNames = Object.keys(proofStates) as [ProofState, ...ProofState[]]

export const proofTimes = {
  /** How long we look for the record. */
  searchHours: 48,
  /** How long a proof outlives its record. */
  graceDays: 30,
} as const
