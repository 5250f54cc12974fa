/** Everything recorded in an account's activity: the type, and a sentence for people. */
export const events = {
  'account.created': 'The account was created',
  'account.renamed': 'The account was renamed',
  'account.plan_changed': 'The plan was changed',
  'account.quota_warning': 'The daily request limit is nearly or fully used up',
  'account.suspended': 'The operator suspended the account',
  'account.restored': 'The operator restored the account',
  'account.deleted': 'The account was deleted',
  'member.joined': 'Someone joined the account',
  'member.role_changed': "A member's role was changed",
  'member.removed': 'A member was removed from the account',
  'member.signed_in': 'A member signed in',
  'member.sign_in_failed': 'Several attempts to sign in as a member failed',
  'member.left': 'A member left the account',
  'member.changed': 'A member changed their name or email address',
  'member.password_changed': 'A member changed their password',
  'member.reset_link_created': 'A password reset link was created for a member',
  'member.password_reset': 'A member set a new password with a reset link',
  'invitation.created': 'Someone was invited',
  'invitation.revoked': 'An invitation was revoked',
  'key.created': 'An API key was created',
  'key.revoked': 'An API key was revoked',
  'key.banned': 'An API key was temporarily banned because it kept sending requests after being told to wait',
  'key.unbanned': 'The ban on an API key was lifted',
  'project.created': 'A project was created',
  'project.changed': 'The settings of a project were changed',
  'project.deleted': 'A project was deleted',
  'project.protected': 'A password was set for a site, or what it protects was changed',
  'project.unprotected': 'The password of a site was removed',
  'project.taken_down': 'The operator took a site down',
  'project.restored': 'The operator restored a site that had been taken down',
  'deployment.ready': 'A deployment became ready',
  'deployment.activated': 'A deployment went live',
  'deployment.deleted': 'A deployment was deleted',
  'domain.added': 'A domain was added',
  'domain.moved': 'A domain was moved to another project',
  'domain.verified': "A domain's DNS was verified",
  'domain.live': 'A domain went live: its certificate is installed and our test request succeeded',
  'domain.drifted': "A live domain's DNS no longer points here",
  'domain.recovered': "A domain's DNS points here again",
  'domain.failed':
    'A domain was stopped: its DNS record was not found in time, or no certificate could be issued for it',
  'domain.lost': 'Another account proved that it owns a domain',
  'domain.proof_asked': 'The account was asked to prove that it owns an apex domain that is already live',
  'domain.proof_found': 'The requested proof of ownership was found in DNS',
  'domain.suspended': 'A domain was suspended because the plan no longer includes it',
  'domain.resumed': 'A suspended domain was resumed',
  'domain.removed': 'A domain was removed',
  'domain.config_changed': 'The primary domain or the redirects were changed',
} as const

export type EventType = keyof typeof events
export const eventTypes = Object.keys(events) as [EventType, ...EventType[]]

/** What an event is about: the part of its type before the dot. */
export type EventKind = EventType extends `${infer Kind}.${string}` ? Kind : never
export const eventKinds = [...new Set(eventTypes.map((type) => type.split('.')[0]))] as [
  EventKind,
  ...EventKind[],
]
