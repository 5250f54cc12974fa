/** An address as people write it down: `docs.acme.dev`. */
export function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
