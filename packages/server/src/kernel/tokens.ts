import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyRandomCharacters = 30
const keyChecksumCharacters = 6
const keyPattern = /^mh_[0-9A-Za-z]{36}$/

/** A secret for a cookie, a link or DNS: 256 bits. Never starts with a dash, as options of commands do. */
export function newToken(): string {
  const token = randomBytes(32).toString('base64url')
  return token.startsWith('-') ? newToken() : token
}

export function looksLikeToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** Only the hash is stored. Secrets are long and random, so a plain hash cannot be reversed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** `mh_`, 30 random characters, and a checksum, so that a mistyped key is detected without a lookup. */
export function newKeySecret(): string {
  let random = ''
  for (let index = 0; index < keyRandomCharacters; index++) random += base62.charAt(randomInt(base62.length))
  return `mh_${random}${checksum(random)}`
}

export function looksLikeKey(secret: string): boolean {
  if (!keyPattern.test(secret)) return false
  const random = secret.slice(3, 3 + keyRandomCharacters)
  return secret.slice(3 + keyRandomCharacters) === checksum(random)
}

/** Compares in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return isSameHash(hashSecret(left), hashSecret(right))
}

/** The same for secrets that were hashed already. */
export function isSameHash(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left), Buffer.from(right))
}

function checksum(text: string): string {
  let value = crc32(text)
  let code = ''
  for (let index = 0; index < keyChecksumCharacters; index++) {
    code = base62.charAt(value % 62) + code
    value = Math.floor(value / 62)
  }
  return code
}

/** Whether an Authorization header allows reading the metrics, which reveal how busy a server is. */
export type MayReadMetrics = (authorization: string | undefined) => boolean

/** Accepts the operator key, or a token for the metrics collector that is good for nothing else. */
export function metricsAccess(operatorKey: string, token: string | null): MayReadMetrics {
  const secrets = token === null ? [operatorKey] : [operatorKey, token]
  return (authorization) => {
    const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && secrets.some((secret) => isSameSecret(given, secret))
  }
}
