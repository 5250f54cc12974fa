import { createHash } from 'node:crypto'
import { escapeHtml, printableText } from '../../kernel/escape-text.ts'
import type { SiteBlock, SiteRecord } from '../../projects/site.ts'
import type { Reply } from './reply.ts'

export interface PageText {
  status: number
  title: string
  /** What happened, then what to do. */
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
  'a{color:var(--ink)}',
  'form{margin:1.5rem 0 0}',
  'label{display:block;margin:.75rem 0 .25rem;color:var(--ink);font-size:.875rem;font-weight:500}',
  'input{box-sizing:border-box;width:100%;padding:.625rem .75rem;border:1px solid var(--soft);border-radius:4px;',
  'background:var(--paper);color:var(--ink);font:inherit}',
  'button{margin-top:1rem;padding:.625rem 1.25rem;border:1px solid var(--ink);border-radius:4px;',
  'background:var(--ink);color:var(--paper);font:inherit;font-weight:500;cursor:pointer}',
  'input:focus-visible,button:focus-visible,a:focus-visible{outline:2px solid var(--ink);outline-offset:2px}',
  '[role=alert]{padding-left:.75rem;border-left:2px solid var(--ink);color:var(--ink)}',
].join('')

const stylePolicy = `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`

function policyFor(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    stylePolicy,
    "base-uri 'none'",
    `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

const policy = policyFor([])

/** A self-contained page, for requests that no published file can answer. */
function renderPage({ status, title, sentences }: PageText, headers: readonly string[] = []): Reply {
  const html = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')
  return renderHtml({ status, title, html, policy }, headers)
}

/** A page with a form. `html` has its escaped content, `formTargets` the origins that the form may lead to. */
export function renderFormPage(
  page: { status: number; title: string; html: string; formTargets: readonly string[] },
  headers: readonly string[],
): Reply {
  return renderHtml({ ...page, policy: policyFor(page.formTargets) }, headers)
}

function renderHtml(
  page: { status: number; title: string; html: string; policy: string },
  headers: readonly string[],
): Reply {
  const { status, title, html } = page
  const bytes = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${html}
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
      ...['Content-Security-Policy', page.policy],
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
      'If you followed a link, check it for typos. If this is your project, its dashboard lists its addresses.',
    ],
  })
}

export function unknownDomainPage(hostname: string): Reply {
  return renderPage({
    status: 404,
    title: 'Nothing is published here',
    sentences: [
      `No site is published at ${hostname}.`,
      'If this is your domain, add it to your project under Settings → Domains and verify it.',
    ],
  })
}

export function nothingPublishedPage({ slug, emptyBranch }: Pick<SiteRecord, 'slug' | 'emptyBranch'>): Reply {
  if (emptyBranch !== undefined) {
    return renderPage({
      status: 404,
      title: 'Nothing is published from this branch',
      sentences: [
        `This address shows the branch ${printableText(emptyBranch)} of the project ${slug}, which has no deployment.`,
        'If it is yours, publish the branch again, or let the domain show what is live.',
      ],
    })
  }
  return renderPage({
    status: 404,
    title: 'Nothing is published yet',
    sentences: [
      `The project ${slug} exists, but nothing is live yet.`,
      'If it is yours, run “masthead deploy” to publish a folder, then reload this page.',
    ],
  })
}

export function blockedPage({ status, reason }: SiteBlock): Reply {
  if (reason === null) return unavailableSitePage
  const by = status === 451 ? 'for legal reasons ' : ''
  const html = `<p>The operator of this server took it down ${by}with this reason:</p>
<p dir="auto">${escapeHtml(reason)}</p>`
  return renderHtml({ status, title: 'This site is not available', html, policy }, [])
}

const unavailableSitePage = renderPage(
  {
    status: 503,
    title: 'This site is not available',
    sentences: ['It is not being served right now.', 'If it is yours, your dashboard says why.'],
  },
  ['Retry-After', '3600'],
)

export const notFoundPage = renderHtml(
  {
    status: 404,
    title: 'This page does not exist',
    html: `<p>There is no file at this address.</p>
<p>Check the address for typos, or start from the <a href="/">home page</a>.</p>`,
    policy,
  },
  [],
)

export const methodNotAllowedPage = renderPage(
  {
    status: 405,
    title: 'This site is read-only',
    sentences: [
      'Published sites only answer GET and HEAD requests. Send forms and data to your own backend instead.',
    ],
  },
  // The body is left unread, so the connection cannot be reused.
  ['Allow', 'GET, HEAD', 'Connection', 'close'],
)

export const unavailablePage = renderPage(
  {
    status: 503,
    title: 'This page cannot be shown right now',
    sentences: ['Something went wrong on the server.', 'Reload the page in a few seconds.'],
  },
  ['Retry-After', '5'],
)

export const addressTooLongPage = renderPage({
  status: 414,
  title: 'This address is too long',
  sentences: [
    'It takes too much work to compare with the rules of this site.',
    'If you followed a link, check it. If this is your site, use fewer or simpler patterns in its rules.',
  ],
})

export const misdirectedPage = renderPage(
  {
    status: 421,
    title: 'This connection is for another site',
    sentences: ['Your browser used a connection that was opened for another domain.', 'Reload the page.'],
  },
  ['Connection', 'close'],
)

export const badRequestPage = renderPage({
  status: 400,
  title: 'No site in the request',
  sentences: ['The Host header is missing or invalid.', 'Open the site by its domain name.'],
})

export const wrongSchemePage = renderPage({
  status: 400,
  title: 'Wrong scheme in the request',
  sentences: ['The request came over HTTPS, but names another scheme.', 'Send https as :scheme.'],
})

export const twoHostsPage = renderPage({
  status: 400,
  title: 'Two hosts in the request',
  sentences: ['The Host header and :authority name different hosts.', 'Send only :authority.'],
})

export const badPathPage = renderPage({
  status: 400,
  title: 'No path in the request',
  sentences: ['The request has no path, or an invalid one.', 'Send a path that starts with a slash.'],
})
