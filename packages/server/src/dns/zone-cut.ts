import { type DnsAnswer, isDefinite, isReferral } from './dns-answer.ts'
import type { DnsRecord } from './dns-record.ts'
import { isWithin, parentName } from './domain-name.ts'

/** Where a zone begins, and who answers for it. */
export interface ZoneCut {
  zone: string
  nameservers: string[]
  glue: DnsRecord[]
}

/** More than a zone can sensibly have; each is asked, so there is an end. */
const maxNameservers = 20

/** What an answer about the nameservers of a name tells: the cut, or where to ask next (null: nowhere). */
export type CutStep = { cut: ZoneCut } | { next: string | null; isAlias?: boolean }

export function readCutStep(name: string, answer: DnsAnswer): CutStep {
  const here = answer.answers.filter((record) => record.type === 'NS' && record.name === name)
  if (here.length > 0) return { cut: cutOf(name, here, answer) }
  const referral = readReferral('', answer)
  if (referral !== null) return { cut: referral }
  // Behind a CNAME the rest of the answer is about another name. Most names with one are no cut, but some servers let
  // one be set at the top of a zone, and then answer with it whatever they are asked for.
  const isAlias = answer.answers.some((record) => record.type === 'CNAME' && record.name === name)
  if (isAlias) return { next: parentName(name), isAlias }
  if (!isDefinite(answer)) return { next: parentName(name) }
  const start = answer.authority.find(({ type }) => type === 'SOA')
  if (start === undefined) return { next: parentName(name) }
  return { next: start.name === name ? null : start.name }
}

/** A server's "not I, they": the cut below the zone that it sends us to. */
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
