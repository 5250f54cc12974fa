import type { FileKind } from './sites.ts'

/** A header name in lower case and its value. */
export type Header = readonly [string, string]

export interface Browser {
  /** Whether it sends RFC 7540 priorities with its requests, as Chromium does. */
  sendsPriority: boolean
  headersFor(kind: FileKind, client: { host: string; scheme: string; number: number }): Header[]
}

const destinations = { document: 'document', style: 'style', script: 'script', image: 'image', font: 'font' }
const chromiumAccept: Record<FileKind, string> = {
  document:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  style: 'text/css,*/*;q=0.1',
  script: '*/*',
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  font: '*/*',
}
const firefoxAccept: Record<FileKind, string> = {
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  style: 'text/css,*/*;q=0.1',
  script: '*/*',
  image: 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  font: 'application/font-woff2;q=1.0,application/font-woff;q=0.9,*/*;q=0.8',
}
const safariAccept: Record<FileKind, string> = {
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  style: 'text/css,*/*;q=0.1',
  script: '*/*',
  image:
    'image/webp,image/avif,image/jxl,image/heic,image/heic-sequence,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5',
  font: '*/*',
}
const urgency: Record<FileKind, string> = {
  document: 'u=0, i',
  style: 'u=0',
  script: 'u=1',
  image: 'u=2, i',
  font: 'u=2',
}
const languages = [
  'en-US,en;q=0.9',
  'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
  'en-GB,en;q=0.9',
  'fr-FR,fr;q=0.9,en;q=0.8',
  'es-ES,es;q=0.9',
  'ja,en-US;q=0.9,en;q=0.8',
]

const language = (number: number) => languages[number % languages.length] ?? ''
/** What analytics scripts leave behind: every visitor has other ones. About half have any. */
const cookies = (number: number): Header[] =>
  number % 2 === 0
    ? []
    : [['cookie', `_ga=GA1.1.${1_000_000_007 + number * 7_919}.1760${100_000 + number}; consent=granted`]]
const modeOf = (kind: FileKind) => (kind === 'document' ? 'navigate' : kind === 'font' ? 'cors' : 'no-cors')
const fetchMetadata = (kind: FileKind): Header[] => [
  ['sec-fetch-site', kind === 'document' ? 'none' : 'same-origin'],
  ['sec-fetch-mode', modeOf(kind)],
  ['sec-fetch-dest', destinations[kind]],
]
const referrer = (kind: FileKind, origin: string): Header[] =>
  kind === 'document' ? [] : [['referer', `${origin}/`]]
const corsOrigin = (kind: FileKind, origin: string): Header[] => (kind === 'font' ? [['origin', origin]] : [])

function chromium(agent: string, brands: string, platform: string, mobile: '?0' | '?1'): Browser {
  return {
    sendsPriority: true,
    headersFor(kind, { host, scheme, number }) {
      const origin = `${scheme}://${host}`
      const isSecure = scheme === 'https'
      return [
        ...(isSecure
          ? ([
              ['sec-ch-ua', brands],
              ['sec-ch-ua-mobile', mobile],
              ['sec-ch-ua-platform', platform],
            ] as const)
          : []),
        ...(kind === 'document' ? ([['upgrade-insecure-requests', '1']] as const) : []),
        ...corsOrigin(kind, origin),
        ['user-agent', agent],
        ['accept', chromiumAccept[kind]],
        ...(isSecure ? fetchMetadata(kind) : []),
        ...(isSecure && kind === 'document' ? ([['sec-fetch-user', '?1']] as const) : []),
        ...referrer(kind, origin),
        ['accept-encoding', isSecure ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br'],
        ['accept-language', language(number)],
        ...cookies(number),
        ...(isSecure ? ([['priority', urgency[kind]]] as const) : []),
      ]
    },
  }
}

function firefox(agent: string): Browser {
  return {
    sendsPriority: false,
    headersFor(kind, { host, scheme, number }) {
      const origin = `${scheme}://${host}`
      return [
        ['user-agent', agent],
        ['accept', firefoxAccept[kind]],
        ['accept-language', language(number)],
        ['accept-encoding', 'gzip, deflate, br, zstd'],
        ...corsOrigin(kind, origin),
        ...referrer(kind, origin),
        ...cookies(number),
        ...(kind === 'document' ? ([['upgrade-insecure-requests', '1']] as const) : []),
        ...(scheme === 'https' ? fetchMetadata(kind) : []),
        ['priority', urgency[kind]],
      ]
    },
  }
}

function safari(agent: string): Browser {
  return {
    sendsPriority: false,
    headersFor(kind, { host, scheme, number }) {
      const origin = `${scheme}://${host}`
      return [
        ...fetchMetadata(kind),
        ...cookies(number),
        ['accept', safariAccept[kind]],
        ...corsOrigin(kind, origin),
        ['user-agent', agent],
        ...referrer(kind, origin),
        ['accept-language', language(number)],
        ['priority', urgency[kind]],
        ['accept-encoding', 'gzip, deflate, br'],
      ]
    },
  }
}

const chromiumBrands = '"Chromium";v="141", "Google Chrome";v="141", "Not?A_Brand";v="8"'

/** What visitors use, in about these proportions. */
export const browsers: readonly Browser[] = [
  chromium(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    chromiumBrands,
    '"Windows"',
    '?0',
  ),
  chromium(
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
    chromiumBrands,
    '"Android"',
    '?1',
  ),
  safari(
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  ),
  firefox('Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'),
  chromium(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    '"Microsoft Edge";v="141", "Not?A_Brand";v="8", "Chromium";v="141"',
    '"Windows"',
    '?0',
  ),
]
