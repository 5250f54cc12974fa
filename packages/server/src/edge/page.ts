import { createHash } from 'node:crypto'
import { escapeHtml } from '../html.ts'
import type { Reply } from './response.ts'

export interface PageWords {
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
export function page({ status, title, sentences }: PageWords, headers: readonly string[] = []): Reply {
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
