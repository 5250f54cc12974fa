import { randomBytes } from 'node:crypto'
import { findInstalledCertificate, type InstalledCertificate } from '../../certificates/read.ts'
import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import { followCnames } from '../../dns/follow-cnames.ts'
import { isPublicAddress } from '../../dns/public-address.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { applyProbe, type ProbeResult } from './apply-probe.ts'
import { type HostPort, ProbeError, requestOverHttps } from './probe-request.ts'
import { nextProbeVia, type ProbeEvidence, parseProbe } from './stored-probe.ts'

/** Where test requests are sent. */
export interface ProbeTargets {
  /** An edge that can be reached directly. */
  edgeAt: HostPort
  /** The HTTPS port at the addresses from DNS. */
  publicPort: number
}

/** Makes the test request that is due for a domain with a certificate, if any, and stores the result. */
export async function probeDomain(
  context: DomainContext,
  probing: ProbeTargets,
  row: DomainRow,
): Promise<void> {
  const { database, now } = context
  const certificate = await findInstalledCertificate(database.read, row.hostname)
  if (certificate === null || certificate.notAfter <= now()) return
  const via = nextProbeVia(parseProbe(row), certificate.serial, now())
  // Elsewhere is still another server, or a proxy with a certificate of its own.
  if (via === 'dns' && (row.state === 'prepared' || row.proxy !== null)) return
  if (via !== null) await probeBy(context, probing, row, certificate, via)
}

/** Probes the edge regardless of earlier results, because the certificate has just been installed. */
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
  // After this, an edge in this process knows the certificate.
  await context.changes.catchUp()
  const hostname = probedName(row.hostname)
  const { serial } = certificate
  const endpoint = via === 'edge' ? probing.edgeAt : await publicEndpoint(context, hostname, probing)
  let result: ProbeResult
  try {
    if (endpoint === null) throw new ProbeError('DNS has no public address for it')
    const address = await requestOverHttps(hostname, certificate, endpoint)
    result = { kind: 'answered', evidence: { at: isoTime(context.now()), address, serial, via } }
  } catch (error) {
    if (!(error instanceof ProbeError)) throw error
    result = { kind: 'unanswered', serial, via, why: error.message }
  }
  await applyProbe(context, row, result)
}

/** Of a wildcard, a name that nobody has added, because that would have a certificate of its own. */
function probedName(hostname: string): string {
  return isWildcard(hostname) ? `t${randomBytes(6).toString('hex')}.${withoutWildcard(hostname)}` : hostname
}

/** Strangers control the zone, so only public addresses and the configured ones of the edge are used. */
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
