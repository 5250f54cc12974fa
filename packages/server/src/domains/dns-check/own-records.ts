import type { DnsAnswer } from '../../dns/dns-answer.ts'
import type { SeenRecord } from './observation.ts'

/** The answer to A repeats the CNAME, and has the addresses of what that leads to, which are not the name's own. */
export function ownRecords(
  hostname: string,
  answers: readonly (DnsAnswer | null | undefined)[],
): SeenRecord[] {
  const seen = new Map<string, SeenRecord>()
  for (const { name, type, value, ttl } of answers.flatMap((answer) => answer?.answers ?? [])) {
    if (name !== hostname || (type !== 'CNAME' && type !== 'A' && type !== 'AAAA')) continue
    seen.set(`${type} ${value}`, { type, value, ttl })
  }
  return [...seen.values()]
}
