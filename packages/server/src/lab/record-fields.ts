import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { isAskable, isWithin, normalizeName } from '../dns/domain-name.ts'
import { isIP, isIPv6 } from '../kernel/ip-address.ts'
import { labRoot } from './zone.ts'

/** Normalizes a name as typed (unicode, capitals, a final dot); null if it is not a name. */
export function parseRecordName(typed: string): string | null {
  // domainToASCII would silently cut these off, because they end a host in a URL.
  if (/[\s/\\%:?#@]/.test(typed)) return null
  const name = normalizeName(domainToASCII(typed))
  return name !== '' && isAskable(name) && isIP(name) === 0 ? name : null
}

/** Whether there is a wildcard anywhere but as the whole first label below a domain. */
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

/** The normalized value, or what is wrong with it, to follow the name of the field. */
export type ParsedValue = { value: string } | { error: string }

export function readValue(type: LabRecordType, typed: string): ParsedValue {
  return readers[type](type === 'TXT' ? typed : typed.trim())
}

const readers: Record<LabRecordType, (text: string) => ParsedValue> = {
  A: (text) => (isIPv4(text) ? { value: text } : { error: 'must be an IPv4 address such as 127.0.0.1' }),
  AAAA: (text) =>
    isIPv6(text) && !text.includes('%')
      ? { value: new URL(`http://[${text}]/`).hostname.slice(1, -1) }
      : { error: 'must be an IPv6 address such as ::1' },
  CNAME: readTarget,
  ALIAS(text) {
    const target = readTarget(text)
    if ('error' in target || isWithin(target.value, labRoot)) return target
    return {
      error: `must be a name under .${labRoot}: the lab answers with its addresses and asks no other DNS server`,
    }
  },
  TXT: (text) =>
    unprintable.test(text) ? { error: 'must not contain control characters' } : { value: text },
  CAA(text) {
    const caa = readCaa(text)
    if (caa === null) return { error: 'must be like 0 issue "letsencrypt.org"' }
    return { value: `${caa.flags} ${caa.tag} "${caa.value}"` }
  },
}

const unprintable = /[\p{Cc}\p{Cs}]/u

function readTarget(text: string): ParsedValue {
  if (isIPv4(text) || isIPv6(text)) return { error: 'must be a name; for an address set an A or AAAA record' }
  const value = parseRecordName(text)
  return value === null || value.includes('*')
    ? { error: 'must be a name such as target.localhost' }
    : { value }
}

/** Flags, tag and value as in a zone file (RFC 8659, section 4.1). Quotes are optional without spaces. */
function readCaa(text: string): Caa | null {
  const found = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+(?:"([\x20\x21\x23-\x7e]*)"|([\x21\x23-\x7e]+))$/i.exec(text)
  if (found === null) return null
  const [, flags, tag = '', quoted, bare] = found
  return Number(flags) > 255
    ? null
    : { flags: Number(flags), tag: tag.toLowerCase(), value: quoted ?? bare ?? '' }
}
