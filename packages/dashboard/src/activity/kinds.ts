import { type EventKind, eventKinds } from '@masthead/contract/events.ts'

/** What people call the kinds of events. */
export const kindTitles: Record<EventKind, string> = {
  account: 'Account',
  member: 'Members',
  invitation: 'Invitations',
  key: 'API keys',
  project: 'Projects',
  deployment: 'Deployments',
  domain: 'Domains',
}

/** Of what happens in one project. */
export const projectKinds: readonly EventKind[] = ['project', 'deployment', 'domain']

/** The kind that an address asks for, where it is one of these. */
export function kindNamed(value: string | null, kinds: readonly EventKind[] = eventKinds) {
  return kinds.find((kind) => kind === value)
}
