import type { Reply } from '../assets/reply.ts'
import { encodeHead } from './hpack/encoder.ts'

/** The relations that browsers act on before they have the page. */
const hinted = new Set(['preload', 'modulepreload', 'preconnect'])
/** Under these policies a browser fetches what is hinted, so they come with the hints (HTML, process early hint headers). */
const policies = new Set(['content-security-policy', 'cross-origin-embedder-policy', 'referrer-policy'])
const maxLinks = 20
const maxLength = 4_096

const blocks = new WeakMap<readonly string[], Buffer | null>()

/** The encoded head of `103 Early Hints` (RFC 8297) for a page whose rules have links to load early; null if there is none. */
export function earlyHints({ status, headers }: Reply): Buffer | null {
  if (status !== 200 || !hasLink(headers)) return null
  const known = blocks.get(headers)
  if (known !== undefined) return known
  const hints = hintsIn(headers)
  const block = hints === null ? null : encodeHead(103, hints)
  blocks.set(headers, block)
  return block
}

/** Every navigation to a site asks this, and few sites have links. */
function hasLink(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) if (isLink(headers[at] as string)) return true
  return false
}

/** The first letter tells it from ETag, which is in every head. */
function isLink(name: string): boolean {
  return name.length === 4 && (name.charCodeAt(0) | 32) === 108 /* l */ && name.toLowerCase() === 'link'
}

/** Names and values to send early. Exported for its tests. */
export function hintsIn(headers: readonly string[]): string[] | null {
  const sent: string[] = []
  let isPage = false
  let link = ''
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]]
    const key = name.toLowerCase()
    if (key === 'content-type') isPage = /^text\/html\b/i.test(value)
    // Some visitors may not see it, so nobody is told about it before all is decided.
    else if (key === 'cache-control' && /\bprivate\b|\bno-store\b/i.test(value)) return null
    else if (key === 'link') link = value
    else if (policies.has(key)) sent.push(name, value)
  }
  const left = maxLength - sent.reduce((sum, text) => sum + text.length, 0)
  const links = isPage ? hintedLinks(link, left) : ''
  return links === '' ? null : ['Link', links, ...sent]
}

/** One link of a list: a target, and parameters in which commas may be quoted (RFC 8288, 3). */
const oneLink = /[\s,]*(<[^<>]*>(?:[^,"]|"(?:[^"\\]|\\.)*")*)(?=,|$)/y
const parameter = /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g

/** Up to the first that is malformed or too much. */
function hintedLinks(list: string, maxLength: number): string {
  const links: string[] = []
  let length = 0
  oneLink.lastIndex = 0
  while (links.length < maxLinks) {
    const link = oneLink.exec(list)?.[1]?.trimEnd()
    if (link === undefined) break
    if (!relationsOf(link).some((name) => hinted.has(name))) continue
    length += link.length + 2
    if (length > maxLength) break
    links.push(link)
  }
  return links.join(', ')
}

/** Only the first `rel` counts (RFC 8288, 3.3). */
function relationsOf(link: string): string[] {
  for (const [, name = '', quoted, plain = ''] of link.slice(link.indexOf('>')).matchAll(parameter)) {
    if (name.toLowerCase() === 'rel') return (quoted ?? plain).toLowerCase().split(/\s+/)
  }
  return []
}
