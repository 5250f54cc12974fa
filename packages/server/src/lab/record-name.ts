import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { isAskable, plainName } from '../dns/domain-name.ts'

/** A name as typed (unicode, capitals, a final dot) in the form that is kept; null where it is none. */
export function readName(typed: string): string | null {
  // What ends a host in an address would be cut off silently.
  if (/[\s/\\%:?#@]/.test(typed)) return null
  const name = plainName(domainToASCII(typed))
  return name !== '' && isAskable(name) && isIP(name) === 0 ? name : null
}

/** Whether a wildcard stands anywhere but as the whole first label, below a domain of its own. */
export function hasStrayStar(name: string): boolean {
  const [first, ...rest] = name.split('.')
  if (first !== '*') return name.includes('*')
  return rest.length < 2 || rest.some((label) => label.includes('*'))
}
