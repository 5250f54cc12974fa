import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import { isCountry } from '@masthead/contract/site-rules/sources/conditions.ts'
import { type Cdns, noCdns } from '../../config/cdns.ts'
import { forwardedHops, plainAddress } from '../../limits/caller-address.ts'

/** How proxies tell about visitors. Anyone else could lie, so it is read on their connections only. */
export interface ProxyFields {
  /** Whether the operator trusts it. */
  isProxy: (address: string) => boolean
  /** The header with the visitor's country, in lower case; null if there is none. */
  country: string | null
  /** CDNs that single domains are behind. Omitted if there are none. */
  cdns?: Cdns
}

export const noProxies: ProxyFields = { isProxy: () => false, country: null }

/** What to read on a connection from this address; null if nothing, as for nearly all. */
export function fieldsFor(proxies: ProxyFields, address: string): ProxyFields | null {
  if (proxies.isProxy(address)) return proxies
  const { cdns = noCdns } = proxies
  // The country is what the operator's own proxies say.
  return cdns.of(address) === null ? null : { ...proxies, country: null }
}

const forwardedFor = 'x-forwarded-for'
const forwardedProto = 'x-forwarded-proto'

/** What a proxy tells about the visitor of one request. The only place that decides whose address counts. */
export class ForwardedFields {
  readonly #fields: ProxyFields
  readonly #cdns: Cdns
  readonly #values = new Map<string, string>()
  #country: string | undefined
  #proto: string | undefined

  constructor(fields: ProxyFields) {
    this.#fields = fields
    this.#cdns = fields.cdns ?? noCdns
  }

  /** Rules out most names. */
  mayHave(nameLength: number): boolean {
    if (nameLength === forwardedFor.length || nameLength === forwardedProto.length) return true
    if (nameLength === this.#fields.country?.length) return true
    return this.#cdns.headers.some(({ length }) => length === nameLength)
  }

  /** In lower case. A field that comes twice is a list: the first may be the visitor's own. */
  add(name: string, value: string): void {
    if (name === this.#fields.country) this.#country = joined(this.#country, value)
    else if (name === forwardedProto) this.#proto = value
    else if (name === forwardedFor || this.#cdns.headers.includes(name)) {
      this.#values.set(name, joined(this.#values.get(name), value))
    }
  }

  /**
   * The visitor's address: the last one that is no proxy of the operator. If that is a CDN, and the domain is marked as
   * being behind it, the CDN's word counts. For any other domain it does not: anyone can have an account with a CDN and
   * send requests through it to a site that has nothing to do with it.
   */
  address(peer: string | undefined, marked: ProxyProvider | null = null): string | undefined {
    const { isProxy } = this.#fields
    const hops = forwardedHops(this.#values.get(forwardedFor) ?? '')
    const isTrusted = peer !== undefined && isProxy(peer)
    const seen = isTrusted ? (hops.findLast((address) => !isProxy(address)) ?? hops[0] ?? peer) : peer
    if (marked === null || seen === undefined || this.#cdns.of(seen) !== marked) return seen
    const header = this.#cdns.headerOf(marked)
    if (header !== forwardedFor) return plainAddress(this.#values.get(header) ?? '') ?? seen
    return hops.findLast((address) => !isProxy(address) && this.#cdns.of(address) !== marked) ?? seen
  }

  /** Whether the visitor came to the operator's proxy over HTTPS. Of several words the last one is the nearest proxy's. */
  isSecure(peer: string | undefined): boolean {
    if (peer === undefined || !this.#fields.isProxy(peer)) return false
    return this.#proto?.split(',').at(-1)?.trim().toLowerCase() === 'https'
  }

  /** Undefined if the proxy does not know, or does not say it once. */
  get country(): string | undefined {
    return this.#country !== undefined && isCountry(this.#country) ? this.#country : undefined
  }
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}
