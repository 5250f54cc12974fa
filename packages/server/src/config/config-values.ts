import { accessSync, constants, statSync } from 'node:fs'
import { BlockList } from 'node:net'
import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import { day, hour } from '../kernel/clock.ts'
import { isIP, isIPv6 } from '../kernel/ip-address.ts'

/** Says what is allowed instead, as a sentence. */
export interface Fault {
  fault: string
}
export type Read<T> = (value: string) => T | Fault

export const text: Read<string> = (value) => value

export const hostname: Read<string> = (value) => {
  const name = domainToASCII(value.replace(/\.$/, ''))
  const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
  const valid = name.length > 0 && name.length <= 253 && name.split('.').every((part) => label.test(part))
  return valid && isIP(name) === 0 ? name : { fault: 'Use a host name such as pages.example.com.' }
}

export const listenAddress: Read<string> = (value) =>
  isIP(value) === 0 ? { fault: 'Use an IP address to listen on, such as 127.0.0.1, 0.0.0.0 or ::.' } : value

export const port: Read<number> = (value) => {
  const number = Number(value)
  const valid = /^\d+$/.test(value) && number >= 1 && number <= 65_535
  return valid ? number : { fault: 'Use a port from 1 to 65535.' }
}

export const portOrOff: Read<number | 'off'> = (value) => {
  if (value === 'off') return value
  const number = port(value)
  return typeof number === 'number' ? number : { fault: 'Use a port from 1 to 65535, or off.' }
}

/** Relative to the working directory. */
export const filePath: Read<string> = (value) => {
  try {
    accessSync(value, constants.R_OK)
    if (!statSync(value).isDirectory()) return resolve(value)
  } catch {}
  return { fault: 'Use the path of a file that exists and that this user can read.' }
}

/** Certificate authorities in the order in which they are asked. */
export const certificateAuthorities: Read<string[]> = (value) => {
  const names = value.split(',').map((part) => part.trim())
  if (names.length > 1 && names.includes('internal')) {
    return { fault: 'internal stands alone: browsers do not trust it.' }
  }
  if (new Set(names).size < names.length) return { fault: 'Each certificate authority can be named once.' }
  const fault = names.map(certificateAuthority).find((result) => typeof result !== 'string')
  return typeof fault === 'object' ? fault : names
}

/** A value for each certificate authority, in their order; empty for one that needs none. */
export function forEachAuthority<T>(separator: string, parse: Read<T>): Read<(T | null)[]> {
  return (value) => {
    const values: (T | null)[] = []
    for (const part of value.split(separator).map((text) => text.trim())) {
      const result = part === '' ? null : parse(part)
      if (typeof result === 'object' && result !== null && 'fault' in result) return result
      values.push(result)
    }
    return values
  }
}

const certificateAuthority: Read<string> = (value) => {
  if (['internal', 'letsencrypt', 'letsencrypt-staging'].includes(value)) return value
  const url = URL.parse(value)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && localHost.test(url.hostname))
  return isSafe && url.username + url.password === ''
    ? value
    : {
        fault:
          'Use internal, letsencrypt, letsencrypt-staging, or the https URL of an ACME directory, without a user.',
      }
}

/** What orders reach without HTTPS. */
const localHost = /^(?:localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/

export const mailAddress: Read<string> = (value) =>
  /^[^\s@:<>]+@[^\s@:<>]+$/.test(value)
    ? value
    : { fault: 'Use a mail address such as operator@example.com.' }

export const base64Url: Read<string> = (value) =>
  /^[A-Za-z0-9_-]+={0,2}$/.test(value) ? value : { fault: 'Use the base64url key you got from the CA.' }

/** The first key seals. The others are older and only open what they sealed. */
export const keyRing: Read<string> = (value) => {
  const isKey = (part: string) => /^([0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?)$/i.test(part.trim())
  return value.split(',').every(isKey)
    ? value
    : { fault: 'Use 32 random bytes in base64 or hex. During a rotation, add the other key after a comma.' }
}

export const positiveNumber: Read<number> = (value) => {
  const number = Number(value)
  return /^\d+$/.test(value) && number >= 1 && Number.isSafeInteger(number)
    ? number
    : { fault: 'Use a whole number of at least 1.' }
}

export function wholeNumber(min: number, max: number): Read<number> {
  return (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max
      ? number
      : { fault: `Use a whole number from ${min} to ${max}.` }
  }
}

export function oneOf<const T extends string>(...values: T[]): Read<T> {
  return (value) => values.find((one) => one === value) ?? { fault: `Use one of ${values.join(', ')}.` }
}

export function roleList<const T extends string>(...values: T[]): Read<ReadonlySet<T>> {
  return (value) => {
    const given = value.split(',').map((part) => part.trim())
    const known = values.filter((role) => given.includes(role))
    const valid = known.length > 0 && given.every((role) => values.some((one) => one === role))
    return valid ? new Set(known) : { fault: `Use some of ${values.join(', ')}, separated by commas.` }
  }
}

/** Sent in a header. Secrets that come from files often end in a newline. */
export function secretOfLength(length: number): Read<string> {
  return (value) => {
    const secret = value.trim()
    return secret.length >= length && /^[\x20-\x7e]+$/.test(secret)
      ? secret
      : { fault: `Use at least ${length} characters: letters from A to Z, digits, signs and spaces.` }
  }
}

export const postgresUrl = serverUrl(/^postgres(ql)?:$/, 'postgres://user:password@host:5432/database')
export const redisUrl = serverUrl(/^rediss?:$/, 'redis://user:password@host:6379')

export const smtpUrl: Read<string> = (value) => {
  const fault = {
    fault:
      'Use an address such as smtp://user:password@mail.example.com:587, or smtps://, with special characters of the password percent-encoded.',
  }
  if (!URL.canParse(value)) return fault
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(value)
  if (!/^smtps?:$/.test(protocol) || hostname === '' || (username === '') !== (password === '')) return fault
  const isPlain = pathname.replace('/', '') + search + hash === '' && isDecodable(username + password)
  return isPlain ? value : fault
}

function isDecodable(text: string): boolean {
  try {
    // The build leaves out a call whose result nobody uses.
    return typeof decodeURIComponent(text) === 'string'
  } catch {
    return false
  }
}

/** A `#`, `/` or `?` ends the password too early. What follows it would then be taken for a host, and be shown. */
function serverUrl(protocol: RegExp, example: string): Read<string> {
  const fault = {
    fault: `Use an address such as ${example}, with special characters of the password percent-encoded (%23 for #, %25 for %, %2F for /).`,
  }
  return (value) => {
    if (!URL.canParse(value)) return fault
    const { protocol: given, username, password, pathname, search, hash } = new URL(value)
    const isWhole = hash === '' && !`${pathname}${search}`.includes('@')
    return protocol.test(given) && isWhole && isDecodable(username + password + pathname) ? value : fault
  }
}

export const edgeAddressList: Read<string[]> = (value) => {
  const addresses = value.split(',').map((part) => part.trim())
  return addresses.every((address) => isIP(address) !== 0)
    ? addresses
    : { fault: 'Use addresses separated by commas, such as 192.0.2.7,2001:db8::7.' }
}

export const hostnameList: Read<string[]> = (value) => {
  const names = value.split(',').map((part) => hostname(part.trim()))
  const valid = names.filter((name) => typeof name === 'string')
  return valid.length === names.length
    ? valid
    : { fault: 'Use host names separated by commas, such as letsencrypt.org.' }
}

/** `address`, `address:port` or `[address]:port`. */
export const serverList: Read<{ address: string; port: number }[]> = (value) => {
  const servers = value.split(',').map((part) => serverAddress(part.trim()))
  const valid = servers.filter((server) => server !== null)
  return valid.length === servers.length
    ? valid
    : { fault: 'Use addresses with ports, separated by commas, such as 192.0.2.1:53,[2001:db8::1]:53.' }
}

/** `address:port` or `[address]:port`. */
export const listenAt: Read<{ address: string; port: number }> = (value) =>
  (isIP(value) === 0 ? serverAddress(value) : null) ?? {
    fault: 'Use an address and a port to listen on, such as 0.0.0.0:53 or [::]:53.',
  }

const budgetUnits = { h: hour, d: day } as const
const budgetFault = {
  fault:
    'Use none, or how many orders the CA accepts, such as 300/3h. After a comma, certificates per registered domain: 300/3h,50/7d.',
}

export interface CaBudget {
  orders: { count: number; within: number }
  certificates: { count: number; within: number } | null
}

export const caBudget: Read<CaBudget | 'none'> = (value) => {
  if (value === 'none') return value
  const [orders, certificates = null, ...more] = value.split(',').map((part) => budgetPart(part.trim()))
  const isValid = orders !== undefined && more.length === 0 && (!value.includes(',') || certificates !== null)
  return orders != null && isValid ? { orders, certificates } : budgetFault
}

function budgetPart(text: string): CaBudget['orders'] | null {
  const match = /^([1-9]\d{0,6})\/([1-9]\d{0,2})([hd])$/.exec(text)
  if (match === null) return null
  const unit = budgetUnits[match[3] as keyof typeof budgetUnits]
  return { count: Number(match[1]), within: Number(match[2]) * unit }
}

function serverAddress(text: string): { address: string; port: number } | null {
  if (isIP(text) !== 0) return { address: text, port: 53 }
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text)
  const address = match?.[1] ?? match?.[2] ?? ''
  const number = port(match?.[3] ?? '')
  return isIP(address) !== 0 && typeof number === 'number' ? { address, port: number } : null
}

/** Fields that mean something else. */
const otherFields =
  /^(?:accept.*|authorization|connection|content-.*|cookie|date|expect|host|if-.*|priority|range|sec-.*|te|transfer-encoding|upgrade|user-agent|x-forwarded-.*)$/i

export const countryHeader: Read<string> = (value) =>
  /^[A-Za-z][A-Za-z0-9-]{1,63}$/.test(value) && !otherFields.test(value)
    ? value
    : { fault: 'Use the name of the header in which your proxy sends the country, such as CF-IPCountry.' }

export const addressList: Read<string[]> = (value) => {
  const ranges = value.split(',').map((part) => part.trim())
  return ranges.every(isRange)
    ? ranges
    : { fault: 'Use addresses or ranges separated by commas, such as 10.0.0.0/8,192.0.2.7.' }
}

export function isRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/')
  if (isIP(address) === 0 || rest.length > 0) return false
  if (bits === undefined) return true
  try {
    new BlockList().addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
    return /^\d+$/.test(bits)
  } catch {
    return false
  }
}
