/** What a domain's timeline tells: the kind, and the sentence for a person. */
export const timelineKinds = {
  added: 'The domain was added',
  moved: 'The domain was moved from another project',
  checked: 'DNS was checked',
  verified: 'DNS is right: the domain is verified',
  unverified: 'DNS is no longer right, and the domain was not live yet: it waits again',
  drifted: 'DNS no longer points here; the domain is still served',
  recovered: 'DNS points here again',
  failed: 'The search for the DNS record ended',
  lost: 'Another account proved that it controls the name',
  restarted: 'The search for the DNS record started again',
  suspended: 'The plan no longer includes custom domains',
  resumed: 'The plan includes custom domains again',
} as const

export type TimelineKind = keyof typeof timelineKinds
export const timelineKindNames = Object.keys(timelineKinds) as [TimelineKind, ...TimelineKind[]]
