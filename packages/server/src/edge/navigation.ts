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
