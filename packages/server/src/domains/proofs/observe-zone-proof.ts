import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { ProofCheck } from '@masthead/contract/schemas/domains/proof.ts'
import type { Dns, Zone } from '../../dns/dns.ts'
import { DnsError, nullOnDnsError } from '../../dns/dns-error.ts'
import { isoTime, second } from '../../kernel/clock.ts'
import { formatList } from '../../kernel/english.ts'
import { printableText } from '../../kernel/escape-text.ts'
import { TimeoutError, withTimeout } from '../../kernel/with-timeout.ts'
import { includesChallenge } from '../dns-check/evidence.ts'
import { finding } from '../dns-check/findings/finding.ts'
import { resolverDown } from '../dns-check/findings/zone-findings.ts'
import { labInstruction } from '../dns-check/instructions.ts'
import { findChallenge } from '../dns-check/observe-proof.ts'
import { areResolversDown, failsValidation } from '../dns-check/observe-resolvers.ts'
import { lab, providersOf } from '../dns-check/providers.ts'
import { describeHostname } from '../hostname.ts'
import { challengeName } from '../records.ts'

const deadline = 12 * second
const maxTexts = 10

export interface ZoneProof {
  check: ProofCheck
  /** The zone that the name is part of, if it is no zone itself; otherwise null. */
  partOf: string | null
}

/** Looks for the token at every nameserver of the domain. DNS failures are part of the result, not errors. */
export async function observeZoneProof(
  dns: Dns,
  { domain, token }: { domain: string; token: string },
  { now, signal: stopping }: { now: number; signal?: AbortSignal | undefined },
): Promise<ZoneProof> {
  const over = new AbortController()
  const signal = stopping === undefined ? over.signal : AbortSignal.any([over.signal, stopping])
  const asked = ask(dns, domain, signal)
  const seen = await withTimeout(asked, deadline)
    .catch((error: unknown) => {
      if (error instanceof DnsError || error instanceof TimeoutError) return unreached
      throw error
    })
    .finally(() => over.abort())
  const judged = judge(seen, domain, token)
  const observed = (seen.values ?? []).slice(0, maxTexts).map((text) => printableText(text, 300))
  return {
    check: { at: isoTime(now), observed, ...judged },
    partOf: seen.partOf,
  }
}

interface Seen {
  zone: Zone | null
  partOf: string | null
  /** Values that all servers have; null if none answered. */
  values: string[] | null
  isForged: boolean
  isOffline: boolean
}

const unreached: Seen = { zone: null, partOf: null, values: null, isForged: false, isOffline: false }

async function ask(dns: Dns, domain: string, signal: AbortSignal): Promise<Seen> {
  const zone = await nullOnDnsError(dns.findZone(domain, { signal }))
  if (zone === null) return { ...unreached, isOffline: await areResolversDown(dns, signal) }
  const isRegistrable = describeHostname(domain).registrable === domain
  const inLab = providersOf(zone.servers.map(({ name }) => name)).includes(lab)
  if (!isRegistrable && zone.name !== domain && !inLab) {
    return { ...unreached, zone, partOf: zone.name }
  }
  const [values, isForged] = await Promise.all([
    findChallenge(dns, domain, Promise.resolve(zone), signal),
    failsValidation(dns, challengeName(domain), 'TXT', signal),
  ])
  return { zone, partOf: null, values, isForged, isOffline: false }
}

function judge(
  { zone, partOf, values, isForged, isOffline }: Seen,
  domain: string,
  token: string,
): Pick<ProofCheck, 'outcome' | 'findings'> {
  if (partOf !== null) return { outcome: 'wrong', findings: [notDelegated(domain, partOf)] }
  if (isOffline) return { outcome: 'unclear', findings: [resolverDown(domain)] }
  if (isForged) return { outcome: 'unclear', findings: [forged(domain)] }
  if (values === null) return { outcome: 'unclear', findings: [unclear(domain)] }
  if (includesChallenge(values, token)) return { outcome: 'right', findings: [] }
  return { outcome: 'wrong', findings: [missing(zone, domain, token, values)] }
}

function missing(zone: Zone | null, domain: string, token: string, values: readonly string[]): Finding {
  const fqdn = challengeName(domain)
  const shown = values.slice(0, maxTexts).map((value) => `"${printableText(value, 300)}"`)
  const instead = shown.length === 0 ? 'has no TXT record' : `has ${formatList(shown)}`
  const providers = providersOf((zone?.servers ?? []).map(({ name }) => name))
  const record = { type: 'TXT', fqdn, value: token }
  const where = providers.map(({ name }) => name)
  return finding('challenge_missing', {
    message: `${fqdn} ${instead}; it should have "${token}" on every nameserver.`,
    fix: providers.includes(lab)
      ? labInstruction(record)
      : `At ${where.length === 0 ? `the DNS provider of ${domain}` : formatList(where)}, add a TXT record: ` +
        `name _masthead-challenge, value ${token}. Other values there can stay.`,
    records: [record],
  })
}

function notDelegated(domain: string, zone: string): Finding {
  return finding('zone_not_delegated', {
    message: `${domain} has no nameservers of its own: it is part of the zone ${zone}.`,
    fix: `Prove ${zone} instead. That covers ${domain} too.`,
  })
}

function forged(domain: string): Finding {
  return finding('dnssec_failure', {
    message: `Resolvers reject the answers of ${domain}: its DNSSEC signatures probably do not match its DS record.`,
    fix: `Compare the DS record of ${domain} at your registrar with the keys at your DNS provider.`,
  })
}

function unclear(domain: string): Finding {
  return finding('challenge_unclear', {
    message: `We couldn't reach the nameservers of ${domain}.`,
    fix: `Check that the nameservers of ${domain} are set up at your registrar. We retry automatically, and a proof stays as it is.`,
  })
}
