import { type Encoding, encodings } from '../../deployments/manifest.ts'
import { memoize } from '../../kernel/memoize.ts'

export type Coding = Encoding | 'identity'

/** The form of a file that suits an Accept-Encoding header best, among those that exist (RFC 9110, 12.5.3). */
export function negotiate(
  acceptEncoding: string | undefined,
  available: { readonly [E in Encoding]?: number } | undefined,
): Coding {
  if (acceptEncoding === undefined || available === undefined) return 'identity'
  for (const coding of acceptable(acceptEncoding)) {
    if (coding === 'identity' || available[coding] !== undefined) return coding
  }
  // Nothing suits: the plain form says more than a 406 would.
  return 'identity'
}

const acceptable = memoize(1000, rankCodings)

/** What a header accepts, best first; our own order decides between equals. */
function rankCodings(header: string): readonly Coding[] {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const rest = weights.get('*')
  // The plain form is always acceptable unless refused, but any accepted coding goes before it.
  const ranked = encodings.map((coding) => ({ coding, weight: weights.get(coding) ?? rest ?? 0 }))
  const plain = weights.get('identity') ?? (rest === 0 ? 0 : Number.MIN_VALUE)
  return [...ranked, { coding: 'identity' as const, weight: plain }]
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ coding }) => coding)
}

/** A weight that cannot be read counts as a refusal: better too plain than unreadable. */
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

/** Request headers that `isNavigation` reads: a response that depends on it varies by them. */
export const navigationHeaders = 'Accept, Sec-Fetch-Dest'

/** Destinations of the Fetch standard that show a page. */
const pages = new Set<unknown>(['document', 'iframe', 'frame', 'embed', 'object', 'fencedframe'])

const acceptsHtml = /(?:^|,)\s*(?:text\/html|text\/\*|\*\/\*)\s*(?:[;,]|$)/i

/**
 * Whether a page is asked for, rather than a script, an image or what a program fetches. Browsers say so. Of clients
 * that do not, only those count as programs that would not take HTML.
 */
export function isNavigation({ accept, 'sec-fetch-dest': destination }: NavigationHeaders): boolean {
  if (destination !== undefined) return pages.has(destination)
  return accept === undefined || acceptsHtml.test(accept)
}
