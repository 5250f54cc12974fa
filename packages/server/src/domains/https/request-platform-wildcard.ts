import { findCertificateStates } from '../../certificates/certificate-state.ts'
import { ensureCertificateRequested } from '../../certificates/jobs/request-certificate.ts'
import { platformDelegation, platformWildcard } from '../../certificates/platform/platform-wildcard.ts'
import type { DomainContext } from '../context.ts'
import { observeDelegation } from '../dns-check/observe-delegation.ts'

/**
 * Requests the certificate for all projects once the operator has delegated its challenges. After that it is renewed
 * like any other.
 */
export async function requestPlatformWildcard(
  context: Pick<DomainContext, 'database' | 'now' | 'changes' | 'dns' | 'naming'>,
  signal?: AbortSignal,
): Promise<void> {
  const { database, now, dns, naming } = context
  const name = platformWildcard(naming)
  const state = (await findCertificateStates(database.read, [name], now())).get(name)
  if (state?.status === 'valid' || state?.status === 'pending') return
  const { fqdn, value } = platformDelegation(naming)
  const { outcome } = await observeDelegation(dns, { fqdn, values: [value] }, signal)
  if (outcome !== 'delegated') return
  await ensureCertificateRequested(context, name, null)
}
