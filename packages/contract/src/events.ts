/** What is recorded in an account's activity: the type, and the sentence that tells a person. */
export const events = {
  'account.created': 'The account was created',
  'account.renamed': 'The account got another name',
  'account.plan_changed': 'The plan was changed',
  'account.quota_warning': 'The requests of the day are nearly, or all, used up',
  'account.suspended': 'The operator suspended the account',
  'account.restored': 'The operator restored the account',
  'account.deleted': 'The account was deleted',
  'member.joined': 'A person joined the account',
  'member.role_changed': 'A person got another role',
  'member.removed': 'A person was removed from the account',
  'member.signed_in': 'A person signed in',
  'member.sign_in_failed': 'Several attempts to sign in as a person failed',
  'member.left': 'A person left the account',
  'member.changed': 'A person changed their name or email address',
  'member.password_changed': 'A person changed their password',
  'member.reset_link_created': 'A link was created by which a person sets a new password',
  'member.password_reset': 'A person set a new password by a link',
  'invitation.created': 'A person was invited',
  'invitation.revoked': 'An invitation was taken back',
  'key.created': 'An API key was created',
  'key.revoked': 'An API key was revoked',
  'key.banned': 'An API key was banned for a while, because it went on after being told to wait',
  'key.unbanned': 'The ban of an API key was lifted',
  'project.created': 'A project was created',
  'project.changed': 'The settings of a project were changed',
  'project.deleted': 'A project was deleted',
  'project.taken_down': 'The operator took a site down',
  'project.restored': 'The operator showed a site again that was taken down',
  'deployment.ready': 'A deployment became ready',
  'deployment.activated': 'A deployment went live',
  'deployment.deleted': 'A deployment was deleted',
  'domain.added': 'A domain was added',
  'domain.moved': 'A domain was moved to another project',
  'domain.verified': 'The DNS of a domain was found right',
  'domain.live': 'A domain went live, with its certificate in place and our own request answered',
  'domain.drifted': 'The DNS of a live domain no longer points here',
  'domain.recovered': 'The DNS of a domain points here again',
  'domain.failed':
    'A domain was stopped: its DNS record was not found in time, or no certificate can be had for it',
  'domain.lost': 'Another account proved that it controls the name of a domain',
  'domain.proof_asked':
    'An apex is served without a proof that it belongs to the account, which is asked for one',
  'domain.proof_found': 'The proof that was asked for was found in DNS',
  'domain.suspended': 'A domain was suspended, because the plan no longer includes it',
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
