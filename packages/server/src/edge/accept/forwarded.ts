import { isCountry } from '@masthead/contract/site-rules/sources/conditions.ts'
import { forwardedHops } from '../../limits/caller-address.ts'

/** How trusted proxies tell about visitors. Anyone else could lie, so it is read on their connections only. */
export interface ProxyFields {
  isProxy: (address: string) => boolean
  /** The header with the visitor's country, in lower case; null if there is none. */
  country: string | null
}

export const noProxies: ProxyFields = { isProxy: () => false, country: null }

const forwardedFor = 'x-forwarded-for'

/** What a proxy tells about the visitor of one request. */
export class ForwardedFields {
  readonly #fields: ProxyFields
  #for: string | undefined
  #country: string | undefined

  constructor(fields: ProxyFields) {
    this.#fields = fields
  }

  /** Rules out most names. */
  mayHave(nameLength: number): boolean {
    return nameLength === forwardedFor.length || nameLength === this.#fields.country?.length
  }

  /** In lower case. A field that comes twice is a list: the first may be the visitor's own. */
  add(name: string, value: string): void {
    const joined = (before: string | undefined) => (before === undefined ? value : `${before}, ${value}`)
    if (name === forwardedFor) this.#for = joined(this.#for)
    else if (name === this.#fields.country) this.#country = joined(this.#country)
  }

  /** The visitor's address: the last one that is no proxy of ours. */
  address(proxy: string | undefined): string | undefined {
    const hops = this.#for === undefined ? [] : forwardedHops(this.#for)
    return hops.findLast((address) => !this.#fields.isProxy(address)) ?? hops[0] ?? proxy
  }

  /** Undefined if the proxy does not know, or does not say it once. */
  get country(): string | undefined {
    return this.#country !== undefined && isCountry(this.#country) ? this.#country : undefined
  }
}
