/** As we store it, so that one address is not two. `info@müller.example` has the form that mail servers need. */
export function canonicalEmail(address: string): string {
  return withAsciiDomain(address.trim().toLowerCase())
}

function withAsciiDomain(address: string): string {
  const [, user, domain] = /^([^@]+@)([^@/\\?#:]+)$/.exec(address) ?? []
  if (user === undefined || domain === undefined || !/[\u{80}-\u{10ffff}]/u.test(domain)) return address
  // Not URL.parse, which the command line's oldest Node.js does not have.
  const url = `http://${domain}`
  return URL.canParse(url) ? user + new URL(url).hostname : address
}
