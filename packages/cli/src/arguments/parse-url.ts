/** Null if it is not a URL. `URL.parse` needs Node.js 22. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
