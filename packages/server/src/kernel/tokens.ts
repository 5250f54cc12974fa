import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyRandomCharacters = 30
const keyChecksumCharacters = 6
const keyPattern = /^mh_[0-9A-Za-z]{36}$/

/** A secret for a cookie or a link: 256 bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Only this is stored. The secrets are random and long, so a plain hash cannot be searched back. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** `mh_`, 30 random characters, and a checksum: a mistyped key is told from a wrong one without a look-up. */
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

/** Equal or not, in a time that does not tell where they differ. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
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

/** Whether the Authorization header of a request opens the metrics: they tell strangers how busy a server is, and of what. */
export type MayReadMetrics = (authorization: string | undefined) => boolean

/** The operator key opens them, and so does a token that opens nothing else, for whatever collects them. */
export function metricsAccess(operatorKey: string, token: string | null): MayReadMetrics {
  const secrets = token === null ? [operatorKey] : [operatorKey, token]
  return (authorization) => {
    const given = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && secrets.some((secret) => isSameSecret(given, secret))
  }
}
