import type { RecordChange, RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import { printableText } from '../../kernel/escape-text.ts'
import { asAddressRecord, challengeName, recordName, uncheckedRecords, wantedTtl } from '../records.ts'
import { distinctRecords, type Evidence, includesChallenge, isOurs } from './evidence.ts'
import { apexType } from './instructions.ts'
import type { SeenRecord } from './observation.ts'

const maxTexts = 10

/** The records to set, with what was found in their place. */
export function checkedRecords(evidence: Evidence): RequiredDnsRecord[] {
  return uncheckedRecords(evidence.wanted, evidence.zone).map((record) => ({
    ...record,
    ...(record.purpose === 'routing' ? routing(evidence) : ownership(evidence, record.value)),
  }))
}

type Status = Pick<RequiredDnsRecord, 'status' | 'observed'>

function routing({ answers, seen, allRight }: Evidence): Status {
  if (answers.length === 0) return { status: 'unchecked', observed: [] }
  if (allRight) return { status: 'ok', observed: seen }
  return { status: seen.length === 0 ? 'missing' : 'wrong', observed: seen }
}

/** TXT records are observed without their TTLs. */
function ownership({ observation: { challenge } }: Evidence, value: string): Status {
  if (challenge === null) return { status: 'unchecked', observed: [] }
  const observed = challenge
    .slice(0, maxTexts)
    .map((text) => ({ type: 'TXT', value: printableText(text, 300), ttl: 0 }))
  if (includesChallenge(challenge, value)) return { status: 'ok', observed }
  return { status: challenge.length === 0 ? 'missing' : 'wrong', observed }
}

type Change = Pick<RecordChange, 'action' | 'type' | 'from' | 'to'> & { ttl?: number }

/**
 * What to change in DNS, as a diff against the current records. Before the domain is added, the new value is unknown and
 * `to` is null. Without any answers there is nothing to change.
 */
export function diffRecords(evidence: Evidence): RecordChange[] {
  const { wanted, zone, answers } = evidence
  if (answers.length === 0) return []
  const at =
    (fqdn: string) =>
    (change: Change): RecordChange => {
      const { action, type, from, to, ttl = wantedTtl } = change
      return { action, type, name: recordName(fqdn, wanted, zone), fqdn, from, to, ttl }
    }
  return [
    ...routingChanges(evidence).map(at(wanted.hostname)),
    ...ownershipChanges(evidence).map(at(challengeName(wanted.proof?.at ?? wanted.hostname))),
  ]
}

function routingChanges(evidence: Evidence): Change[] {
  const { answers, wanted, observation, seen } = evidence
  // If one server has it right, the zone is right: the others have to catch up, and no edit would help.
  const right = answers.filter(({ verdict }) => verdict === 'right').flatMap(({ server }) => server.records)
  if (right.length > 0) return distinctRecords(right).map(kept)
  // What is there is the proxy's own.
  if (answers.every(({ verdict }) => verdict === 'behind')) return []
  if (evidence.isOwnZone) return undelegated(evidence)
  const type = wanted.kind === 'apex' ? apexType(evidence.providers) : 'CNAME'
  const isHidden = seen.every(({ type }) => type !== 'CNAME') && observation.wildcard === null
  const isProxied = isHidden && answers.some(({ verdict }) => verdict === 'proxied')
  // The record behind the proxy is not visible.
  if (isProxied && type !== null) return [{ action: 'change', type, from: null, to: wanted.target }]
  return wanted.kind === 'apex' ? apexChanges(evidence) : subdomainChanges(evidence)
}

/** In the zone above, the CNAME replaces the delegation. */
function undelegated({ observation, wanted }: Evidence): Change[] {
  const names = observation.source === 'authoritative' ? observation.servers.map(({ name }) => name) : []
  return [
    ...[...new Set(names)].map(
      (name): Change => ({ action: 'remove', type: 'NS', from: printableText(name, 300), to: null }),
    ),
    { action: 'add', type: 'CNAME', from: null, to: wanted.target },
  ]
}

function subdomainChanges({ observation, wanted, seen }: Evidence): Change[] {
  const to = wanted.target
  const add: Change = { action: 'add', type: 'CNAME', from: null, to }
  // A separate record overrides the wildcard, which other names may need. Below a DNAME there is no record to change.
  if (observation.wildcard !== null || observation.dname !== undefined) return [add]
  const addresses = seen.filter(({ type }) => type !== 'CNAME').map(removed)
  const names = seen.filter(({ type }) => type === 'CNAME')
  if (names.length === 0) return [...addresses, add]
  return [
    ...addresses,
    ...names.map(
      (name): Change => (name.value === to ? kept(name) : { ...add, action: 'change', from: name.value }),
    ),
  ]
}

/** Uses an ALIAS if the provider has one, and addresses if it does not or some of ours are already there. */
function apexChanges({ wanted, seen, providers }: Evidence): Change[] {
  const ours = seen.filter(({ type, value }) => type !== 'CNAME' && isOurs(value, wanted))
  const foreign = seen.filter((record) => !ours.includes(record))
  const type = apexType(providers)
  if (ours.length > 0) return [...foreign.map(removed), ...ours.map(kept)]
  if (type !== null || wanted.target === null) {
    return [...foreign.map(removed), { action: 'add', type: type ?? 'A', from: null, to: wanted.target }]
  }
  const left = [...foreign]
  const set = wanted.edgeAddresses.map(asAddressRecord).map((address): Change => {
    const index = left.findIndex((record) => record.type === address.type)
    const [old] = index === -1 ? [] : left.splice(index, 1)
    return old === undefined
      ? { action: 'add', type: address.type, from: null, to: address.value }
      : { action: 'change', type: address.type, from: old.value, to: address.value }
  })
  return [...left.map(removed), ...set]
}

/** The TXT record is only needed if nothing else proves the name or can prove it. */
function ownershipChanges({ wanted: { proof }, observation }: Evidence): Change[] {
  if (proof === null || proof.challenge === null || observation.challenge === null) return []
  const { challenge, need, siblings } = proof
  if (includesChallenge(observation.challenge, challenge)) {
    return [{ action: 'keep', type: 'TXT', from: challenge, to: challenge }]
  }
  const isToAdd = need !== 'given' && siblings.length === 0
  return isToAdd ? [{ action: 'add', type: 'TXT', from: null, to: challenge }] : []
}

function kept({ type, value, ttl }: SeenRecord): Change {
  return { action: 'keep', type, from: value, to: value, ttl }
}

function removed({ type, value, ttl }: SeenRecord): Change {
  return { action: 'remove', type, from: value, to: null, ttl }
}
