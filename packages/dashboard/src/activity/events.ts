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

export interface Day<T> {
  words: string
  items: T[]
}

/** Items that come newest first, under the days on which they happened for whoever reads. */
export function byDay<T extends { at: string }>(items: readonly T[], now: Date): Day<T>[] {
  const days: Day<T>[] = []
  for (const item of items) {
    const words = dayWords(new Date(item.at), now)
    const last = days.at(-1)
    if (last?.words === words) last.items.push(item)
    else days.push({ words, items: [item] })
  }
  return days
}

function dayWords(day: Date, now: Date): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (day.toDateString() === now.toDateString()) return 'Today'
  if (day.toDateString() === yesterday.toDateString()) return 'Yesterday'
  const year = day.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const format = { weekday: 'long', day: 'numeric', month: 'long', ...year } as const
  // Whether a comma follows the weekday differs between browsers.
  return day.toLocaleDateString('en-GB', format).replace(',', '')
}
