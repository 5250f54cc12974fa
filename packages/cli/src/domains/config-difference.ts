import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { columns } from '../columns.ts'
import type { Paint } from '../usage/chart.ts'
import { storedName } from './typed-name.ts'

export type Domains = DomainConfig['domains']
export type Redirect = Domains['redirects'][number]

export interface ConfigChange {
  sign: '-' | '+'
  what: 'primary' | 'redirect'
  text: string
}

/** What would be another than it is. Names count as the same in whatever way they are written. */
export function configDifference(current: Domains, wanted: Domains): ConfigChange[] {
  const changes: ConfigChange[] = []
  if (storedName(current.primary) !== storedName(wanted.primary)) {
    changes.push({ sign: '-', what: 'primary', text: storedName(current.primary) })
    changes.push({ sign: '+', what: 'primary', text: storedName(wanted.primary) })
  }
  const before = byName(current.redirects)
  const after = byName(wanted.redirects)
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const texts = [before.get(name) ?? [], after.get(name) ?? []] as const
    if (texts[0].map(identity).join() === texts[1].map(identity).join()) continue
    for (const old of texts[0]) changes.push({ sign: '-', what: 'redirect', text: redirectText(old) })
    for (const next of texts[1]) changes.push({ sign: '+', what: 'redirect', text: redirectText(next) })
  }
  return changes
}

export function differenceLines(changes: readonly ConfigChange[], paint: Paint): string[] {
  const rows = changes.map(({ sign, what, text }) => [
    paint(sign === '+' ? 'green' : 'red', sign),
    what,
    paint(sign === '+' ? 'green' : 'red', text),
  ])
  return columns(rows).map((line) => `  ${line}`)
}

function redirectText({ from, to, status }: Redirect): string {
  return `${storedName(from)} → ${storedName(to)} (${status})`
}

/** A name that redirects twice is for the server to refuse, not to lose here. */
function byName(redirects: readonly Redirect[]): Map<string, Redirect[]> {
  return Map.groupBy(redirects, ({ from }) => storedName(from))
}

function identity({ to, status }: Redirect): string {
  return `${storedName(to)} ${status}`
}
