import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { findCertificateStates } from '../../certificates/certificate-state.ts'
import { operatorFix } from '../../certificates/failing/explain-failure.ts'
import {
  findPlatformWildcard,
  platformDelegation,
  platformWildcard,
} from '../../certificates/platform/platform-wildcard.ts'
import type { Config } from '../../config/config.ts'
import type { Context } from '../../database/database.ts'
import type { Dns } from '../../dns/dns.ts'
import { observeDelegation } from '../../domains/dns-check/observe-delegation.ts'
import { isoTime } from '../../kernel/clock.ts'
import { ok, problem, skipped, warning } from '../check.ts'

type PlatformConfig = Pick<Config, 'cas' | 'dnsListen' | 'platformCertificate' | 'platformDomain'>

/** Whether all projects share one certificate, and why not. */
export async function checkPlatformCertificate(
  config: PlatformConfig,
  context: Context | null,
  dns: Pick<Dns, 'askNameservers'>,
  signal: AbortSignal,
): Promise<DoctorFinding> {
  const { cas, dnsListen, platformCertificate } = config
  const name = platformWildcard(config)
  if (platformCertificate !== null)
    return ok('Projects share the certificate in MASTHEAD_PLATFORM_CERTIFICATE, if it is for their names.')
  if (cas[0].name === 'internal')
    return ok('Each project has a certificate of its own, which the internal CA signs at once.')
  const each = 'Each project has a certificate of its own'
  const shared = context === null ? null : await findPlatformWildcard(context, config)
  if (shared?.isOverdue === false)
    return ok(
      `Projects share a certificate for ${name}, valid until ${isoTime(shared.notAfter).slice(0, 10)}.`,
    )
  const state =
    context === null
      ? undefined
      : (await findCertificateStates(context.database.read, [name], context.now())).get(name)
  const lastError = state?.lastError ?? null
  const reason = lastError?.message ?? 'There is no attempt yet.'
  if (shared !== null) {
    return problem(
      `The certificate for ${name} could not be renewed, so each project gets its own again. ${reason}`,
      lastError === null ? 'Check the nameserver for challenges.' : operatorFix(name, lastError),
    )
  }
  if (dnsListen === null)
    return skipped(`${each}. They can share one for ${name}, which needs MASTHEAD_DNS_LISTEN.`)
  const { fqdn, type, value } = platformDelegation(config)
  const { outcome, seen } = await observeDelegation(dns, { fqdn, values: [value] }, signal)
  const record = `${fqdn} ${type} ${value}`
  if (outcome === 'missing') {
    const there = seen.map(({ type, value }) => `${type} ${value}`).join(', ')
    return warning(
      `${each}, because ${fqdn} does not lead to this server.`,
      there === ''
        ? `Add to DNS: ${record}.`
        : `Set in DNS: ${record}. It replaces what is there now: ${there}.`,
    )
  }
  if (outcome === 'unclear')
    return warning(`${each}. The nameservers of ${fqdn} could not be asked.`, 'Check that they answer.')
  if (lastError === null) return ok(`A certificate for ${name} is being obtained.`)
  return warning(`${each}, because none was issued for ${name}. ${reason}`, operatorFix(name, lastError))
}
