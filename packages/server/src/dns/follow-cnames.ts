import { second } from '../kernel/clock.ts'
import type { Dns } from './dns.ts'
import { type DnsAnswer, isDefinite } from './dns-answer.ts'
import { nullOnDnsError } from './dns-error.ts'
import type { DnsRecord, RecordType } from './dns-record.ts'
import { normalizeName } from './domain-name.ts'

export interface CnameChain {
  /** The name itself, then the target of each CNAME. */
  chain: string[]
  records: DnsRecord[]
  end: 'records' | 'empty' | 'nxdomain' | 'loop' | 'too_long' | 'failed'
}

const wholeDeadline = 10 * second
const maxAliases = 8

/** Follows at most eight CNAMEs through the resolvers to records of the type. */
export async function followCnames(
  dns: Pick<Dns, 'resolve'>,
  name: string,
  type: Exclude<RecordType, 'CNAME'>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<CnameChain> {
  const until = performance.now() + wholeDeadline
  const chain = [normalizeName(name)]
  for (let last = chain[0]; last !== undefined; last = chain.at(-1)) {
    const deadlineMs = Math.min(wholeDeadline / 2, until - performance.now())
    const answer =
      deadlineMs > 0 ? await nullOnDnsError(dns.resolve(last, type, { deadlineMs, signal })) : null
    if (answer === null || !isDefinite(answer)) return { chain, records: [], end: 'failed' }
    const lengthBefore = chain.length
    for (let next = aliasOf(last, answer); next !== undefined; next = aliasOf(next, answer)) {
      if (chain.includes(next)) return { chain, records: [], end: 'loop' }
      chain.push(next)
      if (chain.length > maxAliases + 1) return { chain, records: [], end: 'too_long' }
    }
    const records = answer.answers.filter((record) => record.type === type && record.name === chain.at(-1))
    if (records.length > 0) return { chain, records, end: 'records' }
    if (answer.rcode === 'NXDOMAIN') return { chain, records, end: 'nxdomain' }
    if (chain.length === lengthBefore) return { chain, records, end: 'empty' }
  }
  return { chain, records: [], end: 'empty' }
}

function aliasOf(name: string, { answers }: DnsAnswer): string | undefined {
  return answers.find((record) => record.type === 'CNAME' && record.name === name)?.value
}
