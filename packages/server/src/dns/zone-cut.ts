import { type DnsAnswer, isDefinite, isReferral } from './dns-answer.ts'
import type { DnsRecord } from './dns-record.ts'
import { isWithin, parentName } from './domain-name.ts'

/** The top of a zone, with its nameservers. */
export interface ZoneCut {
  zone: string
  nameservers: string[]
  glue: DnsRecord[]
}

/** More than any sensible zone has. Each is asked, so there must be a limit. */
const maxNameservers = 20

/** What follows from an answer to an NS query: the cut, or the name to ask for next, null if there is none. */
export type CutStep = { cut: ZoneCut } | { next: string | null; isAlias?: boolean }

export function readCutStep(name: string, answer: DnsAnswer): CutStep {
  const here = answer.answers.filter((record) => record.type === 'NS' && record.name === name)
  if (here.length > 0) return { cut: cutOf(name, here, answer) }
  const referral = readReferral('', answer)
  if (referral !== null) return { cut: referral }
  // With a CNAME, the rest of the answer is about another name. Most names with a CNAME are no cut, but some servers
  // allow one at the top of a zone and then answer every query with it.
  const isAlias = answer.answers.some((record) => record.type === 'CNAME' && record.name === name)
  if (isAlias) return { next: parentName(name), isAlias }
  if (!isDefinite(answer)) return { next: parentName(name) }
  const start = answer.authority.find(({ type }) => type === 'SOA')
  if (start === undefined) return { next: parentName(name) }
  return { next: start.name === name ? null : start.name }
}

/** The cut below the zone that a server refers us to. */
export function readReferral(zone: string, answer: DnsAnswer): ZoneCut | null {
  if (!isReferral(answer)) return null
  const below = answer.authority.filter(
    ({ type, name }) => type === 'NS' && name !== zone && isWithin(name, zone),
  )
  const first = below[0]?.name
  if (first === undefined) return null
  return cutOf(
    first,
    below.filter(({ name }) => name === first),
    answer,
  )
}

function cutOf(zone: string, records: DnsRecord[], { glue }: DnsAnswer): ZoneCut {
  const nameservers = [...new Set(records.map(({ value }) => value))].sort().slice(0, maxNameservers)
  return { zone, nameservers, glue }
}
