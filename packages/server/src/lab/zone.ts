import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { RecordType } from '../dns/dns-record.ts'
import { isAskable, isWithin, parentName } from '../dns/domain-name.ts'
import { refusedAnswer, type ZoneAnswer, type ZoneQuestion, type ZoneRecord } from '../dns/server/zone.ts'

export interface LabNaming {
  platformDomain: string
  edgeAddresses: readonly string[]
}

export type LabZone = (question: ZoneQuestion) => ZoneAnswer

/** Everything below belongs to the lab: browsers resolve such names to this machine. */
export const labRoot = 'localhost'
/** Names of the lab itself. */
export const labHome = `lab.${labRoot}`

const nameserver = `ns.${labHome}`
const ownTtl = 60
/** Short, so that clients that asked too early soon see a new record. */
const negativeTtl = 5
const startOfAuthority = `${nameserver} hostmaster.${labHome} 1 3600 600 86400 ${negativeTtl}`
const longestChain = 8

/**
 * The registrable name, which is a zone: `acme.localhost` for `www.acme.localhost`. In the lab all of them count as
 * registered.
 */
export function zoneApex(name: string): string {
  return name.split('.').slice(-2).join('.')
}

function isZone(name: string): boolean {
  return name === zoneApex(name)
}

/** The result of a lookup. `elsewhere` means a CNAME that leaves the lab or loops. */
interface Found {
  answers: ZoneRecord[]
  end: 'found' | 'empty' | 'missing' | 'elsewhere'
  last: string
}

/**
 * Answers queries from the records, plus what makes the lab look like the real DNS: SOA and NS of zones, and the
 * platform's own names at the addresses of the edge.
 */
export function createZone(
  records: readonly LabRecord[],
  { platformDomain, edgeAddresses }: LabNaming,
): LabZone {
  const glue: LabRecord = { name: nameserver, type: 'A', values: ['127.0.0.1'], ttl: ownTtl }
  const byName = Map.groupBy([...records, glue], ({ name }) => name)
  const known = new Set([...byName.keys()].flatMap(withAncestors))
  const platform = edgeRecords(platformDomain, edgeAddresses)

  const authorityOf = (name: string): ZoneRecord => {
    return { name: zoneApex(name), type: 'SOA', ttl: negativeTtl, value: startOfAuthority }
  }

  /** Null if the name does not exist. */
  function recordsAt(name: string): readonly LabRecord[] | null {
    const own = byName.get(name)
    if (own !== undefined) return own
    if (isWithin(name, platformDomain)) return platform
    if (isZone(name) || known.has(name)) return []
    let encloser = parentName(name)
    while (encloser !== null && !isZone(encloser) && !known.has(encloser)) encloser = parentName(encloser)
    return byName.get(`*.${encloser}`) ?? null
  }

  function lookUp(name: string, type: RecordType | null, from: readonly string[]): Found {
    if (isZone(name) && (type === 'NS' || type === 'SOA')) {
      const value = type === 'NS' ? nameserver : startOfAuthority
      return { answers: [{ name, type, ttl: ownTtl, value }], end: 'found', last: name }
    }
    const here = recordsAt(name)
    if (here === null) return { answers: [], end: 'missing', last: name }
    const path = [...from, name]

    const link = one(here, 'CNAME')
    if (link !== null && type !== 'CNAME') {
      const answer: ZoneRecord = { name, type: 'CNAME', ttl: link.ttl, value: link.target }
      if (!mayFollow(link.target, path)) return { answers: [answer], end: 'elsewhere', last: name }
      const rest = lookUp(link.target, type, path)
      return { ...rest, answers: [answer, ...rest.answers] }
    }

    const alias = one(here, 'ALIAS')
    if (alias !== null && (type === 'A' || type === 'AAAA')) {
      const behind = mayFollow(alias.target, path) ? lookUp(alias.target, type, path).answers : []
      const answers = behind
        .filter((record) => record.type === type)
        .map((record) => ({ ...record, name, ttl: Math.min(alias.ttl, record.ttl) }))
      return { answers, end: answers.length > 0 ? 'found' : 'empty', last: name }
    }

    const answers = here.flatMap(({ type: held, values, ttl }) =>
      held === type ? values.map((value) => ({ name, type, ttl, value })) : [],
    )
    return { answers, end: answers.length > 0 ? 'found' : 'empty', last: name }
  }

  return ({ name, type }) => {
    if (!isAskable(name) || !isWithin(name, labRoot)) {
      return refusedAnswer
    }
    const { answers, end, last } = lookUp(name, type, [])
    return {
      rcode: end === 'missing' ? 'NXDOMAIN' : 'NOERROR',
      answers,
      authority: end === 'missing' || end === 'empty' ? [authorityOf(last)] : [],
      additional: type === 'NS' && end === 'found' ? lookUp(nameserver, 'A', []).answers : [],
    }
  }
}

function mayFollow(target: string, path: readonly string[]): boolean {
  return isWithin(target, labRoot) && !path.includes(target) && path.length < longestChain
}

function one(records: readonly LabRecord[], type: LabRecordType): { target: string; ttl: number } | null {
  const record = records.find((held) => held.type === type)
  const [target] = record?.values ?? []
  return record === undefined || target === undefined ? null : { target, ttl: record.ttl }
}

function edgeRecords(name: string, addresses: readonly string[]): LabRecord[] {
  const six = addresses.filter((address) => address.includes(':'))
  const four = addresses.filter((address) => !address.includes(':'))
  return [
    { name, type: 'A', values: four, ttl: ownTtl },
    { name, type: 'AAAA', values: six, ttl: ownTtl },
  ]
}

function withAncestors(name: string): string[] {
  const names: string[] = []
  for (let at: string | null = name; at !== null && at !== ''; at = parentName(at)) names.push(at)
  return names
}
