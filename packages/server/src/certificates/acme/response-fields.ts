import { z } from 'zod'
import { day, second } from '../../kernel/clock.ts'

const longestUrl = 2000

/** URLs we are willing to request: HTTPS on any host, plain HTTP only on this machine. */
export function isAcmeUrl(text: string): boolean {
  const url = text.length <= longestUrl ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export const acmeUrl = z.string().refine(isAcmeUrl, 'must be an https URL')

/** Parses to milliseconds since 1970. */
export const rfc3339 = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

const link = /<([^<>]*)>((?:\s*;\s*[\w!#$&+\-.^`|~]+\s*=\s*(?:"[^"]*"|[^\s";,]+))*)/g
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i

/** The targets of one relation in a Link header (RFC 8288), resolved against the URL of the response. */
export function linkTargets(header: string | null, wanted: string, base: string): string[] {
  return [...(header ?? '').matchAll(link)].flatMap(([, target = '', parameters = '']) => {
    const [, quoted, bare] = relation.exec(parameters) ?? []
    const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/)
    return relations.includes(wanted) && URL.canParse(target, base) ? [new URL(target, base).href] : []
  })
}

/** Longer is a mistake of the CA, or of a proxy with another clock, and certificates would expire meanwhile. */
const longestRetryAfter = day

/** When a Retry-After header (seconds or a date) allows a retry; null if there is none or it is malformed. */
export function retryAfter(header: string | null, now: number): number | null {
  if (header === null) return null
  const text = header.trim()
  const at = /^\d{1,12}$/.test(text) ? now + Number(text) * second : Date.parse(text)
  return Number.isNaN(at) ? null : Math.min(Math.max(at, now), now + longestRetryAfter)
}
