import type { ObservedRecord } from '../schemas/domains/dns-check.ts'

/** What has to give way to a CNAME: a name has only one, and nothing beside it. Empty if nothing does. */
export function replacedRecords({
  status,
  observed,
}: {
  status: string
  /** Older servers do not say it. */
  observed?: readonly ObservedRecord[]
}): string {
  if (status !== 'wrong' || observed === undefined) return ''
  const [name] = observed.filter(({ type }) => type === 'CNAME')
  if (name !== undefined) return `It replaces the CNAME record that is there now: ${name.value}`
  const others = observed.map(({ type, value }) => `${type} ${value}`)
  return others.length === 0 ? '' : `First remove what is there now: ${others.join(', ')}`
}
