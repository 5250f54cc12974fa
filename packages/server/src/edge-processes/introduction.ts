import { isIP } from 'node:net'

/** Who is at the other end of a connection that an edge process passes on, as its own socket says. */
export interface Client {
  address: string
  scheme: 'http' | 'https'
}

/** More than the longest: an IPv6 address with the name of an interface. */
export const longestIntroduction = 128

/**
 * The first line of every connection to the main process. It stands before the HTTP, where no client can write, so
 * no header has to be believed or taken away. A connection carries the requests of one client alone.
 */
export function writeIntroduction({ scheme, address }: Client): string {
  return `${scheme} ${address}\n`
}

export function readIntroduction(line: string): Client | null {
  const [scheme, address = '', ...rest] = line.split(' ')
  if ((scheme !== 'http' && scheme !== 'https') || isIP(address) === 0 || rest.length > 0) return null
  return { scheme, address }
}
