import { createHash } from 'node:crypto'
import { escapeHtml } from '../../kernel/escape-text.ts'
import type { SiteBlock } from '../../projects/site.ts'
import type { Reply } from './reply.ts'

export interface PageText {
  status: number
  title: string
  /** What is, and what to do. */
  sentences: readonly string[]
}

const style = [
  ':root{color-scheme:light dark;--paper:#fbfaf6;--ink:#1b1a17;--soft:#6b675e;--line:#e4e0d6}',
  '@media(prefers-color-scheme:dark){:root{--paper:#141310;--ink:#edeae2;--soft:#a39e93;--line:#2d2b26}}',
  'body{margin:0;background:var(--paper);color:var(--soft);font:16px/1.5 Geist,system-ui,sans-serif}',
  'main{max-width:34rem;margin:18vh auto 0;padding:0 1.5rem}',
  'h1{margin:0;padding:1.25rem 0 .5rem;border-top:1px solid var(--ink);color:var(--ink);text-wrap:balance;',
  'font:500 2rem/1.2 Newsreader,ui-serif,Georgia,serif;letter-spacing:-.015em}',
  'p{margin:.5rem 0;overflow-wrap:anywhere}',
  'footer{margin-top:2rem;padding-top:.75rem;border-top:1px solid var(--line);font-size:.875rem;',
  'font-variant-numeric:tabular-nums}',
].join('')

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A page of our own, which needs nothing but itself: shown where no published file can answer. */
function renderPage({ status, title, sentences }: PageText, headers: readonly string[] = []): Reply {
  const bytes = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')}
<footer>${status} · Masthead</footer>
</main>
</html>
`)
  return {
    status,
    headers: [
      ...['Content-Type', 'text/html; charset=utf-8'],
      ...['Content-Length', String(bytes.length)],
      ...['Cache-Control', 'no-store'],
      ...['Content-Security-Policy', policy],
      ...['X-Content-Type-Options', 'nosniff'],
      ...['X-Robots-Tag', 'noindex'],
      ...headers,
    ],
    body: { kind: 'bytes', bytes },
  }
}

export function unknownHostPage(hostname: string): Reply {
  return renderPage({
    status: 404,
    title: 'Nothing is published here',
    sentences: [
      `No project is published at ${hostname}.`,
      'If you followed a link, check the name for a slip. If the project is yours, see in its dashboard which names it has.',
    ],
  })
}

export function unknownDomainPage(hostname: string): Reply {
  return renderPage({
    status: 404,
    title: 'Nothing is published here',
    sentences: [
      `No site is published at ${hostname} here.`,
      'If this is your domain, add it to your project under Settings → Domains and verify it.',
    ],
  })
}

export function nothingPublishedPage(slug: string): Reply {
  return renderPage({
    status: 404,
    title: 'Nothing is published yet',
    sentences: [
      `The project ${slug} exists, but has no deployment to show.`,
      'If it is yours, publish a folder with “masthead deploy”, then load this page again.',
    ],
  })
}

export function blockedPage({ status, reason }: SiteBlock): Reply {
  if (reason === null) return unavailableSitePage
  const by = status === 451 ? 'for legal reasons ' : ''
  return renderPage({
    status,
    title: 'This site is not available',
    sentences: [`The operator of this server took it down ${by}and gives this reason:`, reason],
  })
}

const unavailableSitePage = renderPage(
  {
    status: 503,
    title: 'This site is not available',
    sentences: ['It is not being served at the moment.', 'If it is yours, see why in your dashboard.'],
  },
  ['Retry-After', '3600'],
)

export const notFoundPage = renderPage({
  status: 404,
  title: 'This page does not exist',
  sentences: [
    'There is no file at this address.',
    'Check the address for a slip, or begin at the front page.',
  ],
})

export const methodNotAllowedPage = renderPage(
  {
    status: 405,
    title: 'This site can only be read',
    sentences: ['Published sites answer GET and HEAD. Send the request to the service that expects it.'],
  },
  // What came with the request stays unread, so the connection cannot be used again.
  ['Allow', 'GET, HEAD', 'Connection', 'close'],
)

export const unavailablePage = renderPage(
  {
    status: 503,
    title: 'This page cannot be shown right now',
    sentences: ['The server could not read what it needs.', 'Load the page again in a few seconds.'],
  },
  ['Retry-After', '5'],
)

export const misdirectedPage = renderPage(
  {
    status: 421,
    title: 'This connection is for another site',
    sentences: [
      'The connection was opened for another name than the request asks for.',
      'Load the page again.',
    ],
  },
  ['Connection', 'close'],
)

export const badRequestPage = renderPage({
  status: 400,
  title: 'The request names no site',
  sentences: ['The Host header is missing or is not a host name.', 'Open the site by its name.'],
})
