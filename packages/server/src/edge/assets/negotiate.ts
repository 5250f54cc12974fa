import { type Encoding, encodings } from '../../deployments/manifest.ts'
import { memoize } from '../../kernel/cache/memoize.ts'

export type Coding = Encoding | 'identity'

/** The best available coding for an Accept-Encoding header (RFC 9110, 12.5.3). */
export function negotiate(
  acceptEncoding: string | undefined,
  available: { readonly [E in Encoding]?: number } | undefined,
): Coding {
  if (acceptEncoding === undefined || available === undefined) return 'identity'
  for (const coding of acceptable(acceptEncoding)) {
    if (coding === 'identity' || available[coding] !== undefined) return coding
  }
  // The uncompressed file is more useful than a 406.
  return 'identity'
}

const acceptable = memoize(1000, rankCodings)

/** The accepted codings, best first. Our own order breaks ties. */
function rankCodings(header: string): readonly Coding[] {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const rest = weights.get('*')
  // Identity is acceptable unless refused, but any accepted coding comes first.
  const ranked = encodings.map((coding) => ({ coding, weight: weights.get(coding) ?? rest ?? 0 }))
  const identity = weights.get('identity') ?? (rest === 0 ? 0 : Number.MIN_VALUE)
  return [...ranked, { coding: 'identity' as const, weight: identity }]
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ coding }) => coding)
}

/** A malformed weight counts as a refusal: better uncompressed than unreadable. */
function weightOf(parameters: string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  if (given === undefined) return 1
  const value = given.slice(2)
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0
}

export interface NavigationHeaders {
  accept?: string | undefined
  'sec-fetch-dest'?: string | string[] | undefined
}

/** The headers that `isNavigation` reads, for Vary. */
export const navigationHeaders = 'Accept, Sec-Fetch-Dest'

/** Destinations of the Fetch standard that show a page. */
const pages = new Set<unknown>(['document', 'iframe', 'frame', 'embed', 'object', 'fencedframe'])

const html = /(?:^|,)\s*(?:text\/html|text\/\*|\*\/\*)\s*(?:[;,]|$)/i
const acceptsHtml = memoize(1000, (accept) => html.test(accept))

/**
 * Whether the request is for a page, rather than for a script, an image or data. Browsers say so. Other clients count as
 * navigating unless they do not accept HTML.
 */
export function isNavigation({ accept, 'sec-fetch-dest': destination }: NavigationHeaders): boolean {
  if (destination !== undefined) return pages.has(destination)
  return accept === undefined || acceptsHtml(accept)
}
