import { isIP, isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { isAskable, isWithin, normalizeName } from '../dns/domain-name.ts'
import { labRoot } from './zone.ts'

/** A name as typed (unicode, capitals, a final dot) in the form that is kept; null where it is none. */
export function parseRecordName(typed: string): string | null {
  // What ends a host in an address would be cut off silently.
  if (/[\s/\\%:?#@]/.test(typed)) return null
  const name = normalizeName(domainToASCII(typed))
  return name !== '' && isAskable(name) && isIP(name) === 0 ? name : null
}

/** Whether a wildcard stands anywhere but as the whole first label, below a domain of its own. */
export function hasMisplacedWildcard(name: string): boolean {
  const [first, ...rest] = name.split('.')
  if (first !== '*') return name.includes('*')
  return rest.length < 2 || rest.some((label) => label.includes('*'))
}

export interface Caa {
  flags: number
  tag: string
  value: string
}

/** The value in the form that is kept, or what is wrong with it, to be read after the name of the field. */
export type ReadValue = { value: string } | { fault: string }

export function readValue(type: LabRecordType, typed: string): ReadValue {
  return readers[type](type === 'TXT' ? typed : typed.trim())
}

const readers: Record<LabRecordType, (text: string) => ReadValue> = {
  A: (text) => (isIPv4(text) ? { value: text } : { fault: 'must be an IPv4 address such as 127.0.0.1' }),
  AAAA: (text) =>
    isIPv6(text) && !text.includes('%')
      ? { value: new URL(`http://[${text}]/`).hostname.slice(1, -1) }
      : { fault: 'must be an IPv6 address such as ::1' },
  CNAME: readTarget,
  ALIAS(text) {
    const target = readTarget(text)
    if ('fault' in target || isWithin(target.value, labRoot)) return target
    return {
      fault: `must be a name under .${labRoot}: the lab answers with its addresses and asks nobody else`,
    }
  },
  TXT: (text) => (unprintable.test(text) ? { fault: 'must not have control characters' } : { value: text }),
  CAA(text) {
    const caa = readCaa(text)
    if (caa === null) return { fault: 'must be like 0 issue "letsencrypt.org"' }
    return { value: `${caa.flags} ${caa.tag} "${caa.value}"` }
  },
}

const unprintable = /[\p{Cc}\p{Cs}]/u

function readTarget(text: string): ReadValue {
  if (isIPv4(text) || isIPv6(text)) return { fault: 'must be a name; for an address set an A or AAAA record' }
  const value = parseRecordName(text)
  return value === null || value.includes('*')
    ? { fault: 'must be a name such as target.localhost' }
    : { value }
}

/** Flags, tag and value as in a zone file; the quotes may be left out where there is no space. RFC 8659, section 4.1. */
export function readCaa(text: string): Caa | null {
  const found = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+(?:"([\x20\x21\x23-\x7e]*)"|([\x21\x23-\x7e]+))$/i.exec(text)
  if (found === null) return null
  const [, flags, tag = '', quoted, bare] = found
  return Number(flags) > 255
    ? null
    : { flags: Number(flags), tag: tag.toLowerCase(), value: quoted ?? bare ?? '' }
}
