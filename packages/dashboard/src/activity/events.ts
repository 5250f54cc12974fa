import { type EventKind, eventKinds } from '@masthead/contract/events.ts'

export const kindTitles: Record<EventKind, string> = {
  account: 'Account',
  member: 'Members',
  invitation: 'Invitations',
  key: 'API keys',
  project: 'Projects',
  deployment: 'Deployments',
  domain: 'Domains',
  publisher: 'Pipelines',
  proof: 'Proofs of domains',
  webhook: 'Webhooks',
}

/** The kinds of events that a single project can have. */
export const projectKinds: readonly EventKind[] = ['project', 'deployment', 'domain']

/** The kind in the URL, if it is a known one. */
export function kindNamed(value: string | null, kinds: readonly EventKind[] = eventKinds) {
  return kinds.find((kind) => kind === value)
}

export interface Day<T> {
  words: string
  items: T[]
}

/** Groups items, newest first, by day in the reader's time zone. */
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
  // Browsers disagree on a comma after the weekday.
  return day.toLocaleDateString('en-GB', format).replace(',', '')
}
