import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import type { Dns } from '../dns/dns.ts'
import { followCnames } from '../dns/follow-cnames.ts'
import { isPublicAddress } from '../dns/public-address.ts'
import { isIP } from '../kernel/ip-address.ts'

/** Where requests may go whose address an account gave us. On a laptop, with a platform domain under .localhost, to this machine and without TLS too. */
export interface TargetRules {
  allowsLoopback: boolean
  /** Private addresses that the operator has named. */
  alsoAllows?: (address: string) => boolean
}

export function targetRules(platformDomain: string): TargetRules {
  return { allowsLoopback: platformDomain === 'localhost' || platformDomain.endsWith('.localhost') }
}

/** The endpoint cannot be used or did not answer; the message is shown to users. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}

export class PrivateAddressError extends TargetError {}

/** Checks what can be known without DNS. Throws a TargetError that says what to change. */
export function parseTarget(text: string, { allowsLoopback }: TargetRules): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || text.length > webhookLimits.urlLength) {
    throw new TargetError(`must be a URL of at most ${webhookLimits.urlLength} characters`)
  }
  if (url.protocol !== 'https:' && !(allowsLoopback && url.protocol === 'http:')) {
    throw new TargetError('must start with https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw new TargetError('must not contain a user name or password. Verify the signature instead')
  }
  if (url.hash !== '') throw new TargetError('must not contain a #')
  const host = bareHost(url)
  const isOurs =
    isIP(host) === 0 ? isLocalName(host) && !allowsLoopback : !isAllowedAddress(host, { allowsLoopback })
  if (isOurs) throw new TargetError('must not be a private address')
  return url
}

/** Without the brackets of an IPv6 address. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Whether it means this machine, whatever DNS says. */
export function isLoopbackTarget(url: URL): boolean {
  const host = bareHost(url)
  return isIP(host) === 0 ? isLocalName(host) : isLoopback(host)
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

export function isAllowedAddress(address: string, { allowsLoopback, alsoAllows }: TargetRules): boolean {
  if (isIP(address) === 0) return false
  return isPublicAddress(address) || (allowsLoopback && isLoopback(address)) || alsoAllows?.(address) === true
}

/** The addresses to connect to. If one of them is private, none is used: the zone is up to something. */
export async function resolveTarget(
  dns: Pick<Dns, 'resolve'>,
  url: URL,
  rules: TargetRules,
  signal: AbortSignal,
): Promise<string[]> {
  const host = bareHost(url)
  const addresses =
    isIP(host) !== 0 ? [host] : isLocalName(host) ? ['127.0.0.1', '::1'] : await lookUp(dns, host, signal)
  if (addresses.length === 0) throw new TargetError(`We found no address of ${host}`)
  if (!addresses.every((address) => isAllowedAddress(address, rules))) {
    throw new PrivateAddressError(`${host} leads to a private address`)
  }
  return addresses
}

async function lookUp(dns: Pick<Dns, 'resolve'>, host: string, signal: AbortSignal): Promise<string[]> {
  const chains = await Promise.all([
    followCnames(dns, host, 'A', { signal }),
    followCnames(dns, host, 'AAAA', { signal }),
  ])
  return chains.flatMap(({ records }) => records.map(({ value }) => value))
}

/** RFC 6761, section 6.3: these names always mean this machine. */
function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return name === 'localhost' || name.endsWith('.localhost')
}
