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
