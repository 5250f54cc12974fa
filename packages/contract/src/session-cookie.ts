export const sessionCookie = 'masthead_session'

/** Browsers only accept this prefix over HTTPS and for this exact host, so a published site cannot set the cookie. */
const securePrefix = '__Host-'

export function cookieName(name: string, { isSecure }: { isSecure: boolean }): string {
  return isSecure ? securePrefix + name : name
}
