import { unicodeHostname } from './activity/unicode-hostname.ts'

/** An address as people write it down: `docs.acme.dev`, `bücher.example`. */
export function withoutScheme(url: string): string {
  return url
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replace(/^[^:/]+/, unicodeHostname)
}
