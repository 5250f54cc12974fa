/** Whether a host has a site whose cookies others can reach. */
export function isBelowPlatform(hostname: string, platformDomain: string): boolean {
  return hostname.endsWith(`.${platformDomain}`)
}

/** Whether a browser would send a cookie of this domain to every site below the platform domain. */
function isShared(domain: string, platformDomain: string): boolean {
  // Browsers decode it, as in an address, and ignore a dot in front.
  const address = `http://${domain.replace(/^\./, '')}`
  const name = URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : ''
  return name === platformDomain || (name !== '' && platformDomain.endsWith(`.${name}`))
}

function isSharedDomain(attribute: string, platformDomain: string): boolean {
  const [name = '', domain = ''] = attribute.split(/=(.*)/s)
  return name.trim().toLowerCase() === 'domain' && isShared(domain.trim(), platformDomain)
}

/** The same Set-Cookie, for the host that sends it alone if it was for all sites. */
function withoutSharedDomain(cookie: string, platformDomain: string): string {
  const [first = '', ...attributes] = cookie.split(';')
  const kept = attributes.filter((attribute) => !isSharedDomain(attribute, platformDomain))
  return kept.length === attributes.length ? cookie : [first, ...kept].join(';')
}

/** Browsers clear the cookies of the whole registrable domain. The rest is about one host. */
function clearsCookies(type: string): boolean {
  return /cookies|\*/i.test(type)
}

/** Null if nothing is left. */
function withoutCookies(types: string): string | null {
  const kept = types.split(',').filter((type) => !clearsCookies(type))
  return kept.length === 0 ? null : kept.join(',').trim()
}

/**
 * The value of a header as a site may send it; null if nothing is left. Sites below the platform domain share it, so a
 * cookie for all of it, or clearing its cookies, would reach the others.
 */
export function withoutSharedCookies(
  name: string,
  value: string,
  platformDomain: string,
  hostname: string,
): string | null {
  switch (name.toLowerCase()) {
    case 'set-cookie':
      return withoutSharedDomain(value, platformDomain)
    case 'clear-site-data':
      return isBelowPlatform(hostname, platformDomain) ? withoutCookies(value) : value
    default:
      return value
  }
}

/** Whether what is left of a header depends on the host. */
export function isHostDependent(name: string): boolean {
  return name.toLowerCase() === 'clear-site-data'
}

/** What is left out of a header, for those who publish it. Null if nothing is. */
export function sharedCookiesProblem(
  name: string,
  value: string,
  platformDomain: string | null,
): string | null {
  switch (name.toLowerCase()) {
    case 'set-cookie':
      return platformDomain === null || withoutSharedDomain(value, platformDomain) === value
        ? null
        : `Domain is left out of Set-Cookie, because all sites below ${platformDomain} would get the cookie. Remove it.`
    case 'clear-site-data':
      return withoutCookies(value) === value.trim()
        ? null
        : `Clear-Site-Data: cookies is sent on your own domains only. Below ${platformDomain ?? 'the platform domain'} it would clear the cookies of other sites.`
    default:
      return null
  }
}
