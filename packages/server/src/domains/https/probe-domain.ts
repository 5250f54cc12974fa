import { findInstalledCertificate, type InstalledCertificate } from '../../certificates/read.ts'
import { followCnames } from '../../dns/follow-cnames.ts'
import { isPublicAddress } from '../../dns/public-address.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { applyProbe, type ProbeResult } from './apply-probe.ts'
import { type HostPort, ProbeError, requestOverHttps } from './probe-request.ts'
import { nextProbeVia, type ProbeEvidence, parseProbe } from './stored-probe.ts'

/** Where our own requests go. */
export interface ProbeTargets {
  /** An edge that serves what is stored, straight away from here. */
  edgeAt: HostPort
  /** The port of HTTPS at the addresses that DNS gives. */
  publicPort: number
}

/** Makes the request that is due for a domain with a certificate in store, if one is, and stores what came of it. */
export async function probeDomain(
  context: DomainContext,
  probing: ProbeTargets,
  row: DomainRow,
): Promise<void> {
  const { database, now } = context
  const certificate = await findInstalledCertificate(database.read, row.hostname)
  if (certificate === null || certificate.notAfter <= now()) return
  const via = nextProbeVia(parseProbe(row), certificate.serial, now())
  if (via !== null) await probeBy(context, probing, row, certificate, via)
}

/** Asks the edge whatever was known before: the certificate has just been put in place, or was asked for. */
export async function probeThroughEdge(
  context: DomainContext,
  probing: ProbeTargets,
  row: DomainRow,
): Promise<void> {
  const certificate = await findInstalledCertificate(context.database.read, row.hostname)
  if (certificate !== null) await probeBy(context, probing, row, certificate, 'edge')
}

async function probeBy(
  context: DomainContext,
  probing: ProbeTargets,
  row: DomainRow,
  certificate: InstalledCertificate,
  via: ProbeEvidence['via'],
): Promise<void> {
  // An edge in this process has heard of the certificate after this.
  await context.changes.catchUp()
  const { hostname } = row
  const { serial } = certificate
  const place = via === 'edge' ? probing.edgeAt : await publicEndpoint(context, hostname, probing)
  let result: ProbeResult
  try {
    if (place === null) throw new ProbeError('DNS gives no public address')
    const address = await requestOverHttps(hostname, certificate, place)
    result = { kind: 'answered', evidence: { at: isoTime(context.now()), address, serial, via } }
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error
    result = { kind: 'unanswered', serial, via, why: error.message }
  }
  await applyProbe(context, row, result)
}

/** A stranger's zone leads to public addresses, or to those that are the edge's by the operator's own word. */
async function publicEndpoint(
  { dns, naming }: Pick<DomainContext, 'dns' | 'naming'>,
  hostname: string,
  { publicPort }: ProbeTargets,
): Promise<HostPort | null> {
  for (const type of ['A', 'AAAA'] as const) {
    const { records } = await followCnames(dns, hostname, type)
    const found = records.find(({ value }) => naming.edgeAddresses.includes(value) || isPublicAddress(value))
    if (found !== undefined) return { host: found.value, port: publicPort }
  }
  return null
}
