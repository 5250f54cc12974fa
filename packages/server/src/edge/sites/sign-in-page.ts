import { protectionLimits } from '@masthead/contract/project-settings.ts'
import { escapeHtml } from '../../kernel/escape-text.ts'
import { ownPaths } from '../../protection/passes.ts'
import { renderFormPage } from '../assets/pages.ts'
import { noBody, type Reply } from '../assets/reply.ts'

export interface SignInPage {
  hostname: string
  /** Where the visitor wants to go: path and query. */
  to: string
  asksForUser: boolean
  note: string
  /** Signed, for the dashboard's host, which checks the password. */
  request: string
  /** From an earlier pass of this browser. */
  known: string | null
  dashboardOrigin: string
  /** What went wrong before. */
  trouble: SignInTrouble | null
}

export type SignInTrouble = { kind: 'wrong' | 'busy' | 'used' } | { kind: 'wait'; seconds: number }

/** Asks a visitor for the password. Works without scripts, and with password managers. */
export function signInPage(page: SignInPage): Reply {
  const { hostname, to, asksForUser, note, request, known, dashboardOrigin, trouble } = page
  const query = new URLSearchParams({ request, to }).toString()
  const user = asksForUser
    ? `<label for="user">User name</label>
<input id="user" name="user" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>`
    : // Password managers save a password for somebody.
      `<input name="user" autocomplete="username" value="${escapeHtml(hostname)}" hidden>`
  const html = `<p>${escapeHtml(hostname)} is protected. ${asksForUser ? 'Sign in' : 'Enter the password'} to continue.</p>
${note === '' ? '<p>If you have no password, ask the person who sent you here.</p>' : `<p dir="auto">${escapeHtml(note)}</p>`}
<form method="post" action="${escapeHtml(`${dashboardOrigin}/site-sign-in?${query}`)}">
${trouble === null ? '' : `<p role="alert" id="trouble">${troubleText(trouble)}</p>`}
${user}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="${protectionLimits.passwordBytes}" required${asksForUser ? '' : ' autofocus'}${trouble === null ? '' : ' aria-describedby="trouble"'}>
${known === null ? '' : `<input type="hidden" name="known" value="${escapeHtml(known)}">`}
<button>Continue</button>
</form>
<p>Do you work on this site? <a href="${escapeHtml(`${dashboardOrigin}/enter-site#${query}`)}">Sign in with Masthead</a></p>`
  return renderFormPage(
    {
      status: trouble?.kind === 'wait' ? 429 : trouble?.kind === 'busy' ? 503 : 401,
      title: 'This page needs a password',
      html,
      // Browsers check where the answer to the form leads, too.
      formTargets: ["'self'", dashboardOrigin],
    },
    [
      // Or browsers would not say where the form comes from.
      ...['Referrer-Policy', 'origin'],
      ...(trouble?.kind === 'wait' ? ['Retry-After', String(trouble.seconds)] : []),
    ],
  )
}

function troubleText(trouble: SignInTrouble): string {
  switch (trouble.kind) {
    case 'wrong':
      return 'Wrong password. Check it and try again.'
    case 'wait':
      return `Too many attempts. Try again in ${waitText(trouble.seconds)}.`
    case 'busy':
      return 'Too many people are signing in right now. Try again in a few seconds. This attempt did not count.'
    case 'used':
      return 'This sign-in has expired. Please try again.'
  }
}

function waitText(seconds: number): string {
  if (seconds < 120) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  return `${Math.ceil(seconds / 60)} minutes`
}

export function readTrouble(query: URLSearchParams): SignInTrouble | null {
  const kind = query.get('trouble')
  if (kind === 'wrong' || kind === 'busy' || kind === 'used') return { kind }
  const seconds = Number(query.get('wait') ?? 0)
  return Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400 ? { kind: 'wait', seconds } : null
}

/** For scripts, images and programs, which nobody reads a page of. */
export const plainRefusal = plainReply(401, 'This needs a password. Open it in a browser to sign in.', [])

export function tooManyTries(seconds: number): Reply {
  return plainReply(429, `Too many attempts. Try again in ${waitText(seconds)}.`, [
    'Retry-After',
    String(seconds),
  ])
}

function plainReply(status: number, text: string, headers: readonly string[]): Reply {
  const bytes = Buffer.from(`${status} ${text}\n`)
  return {
    status,
    headers: [
      ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(bytes.length)],
      ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'X-Robots-Tag', 'noindex'],
      ...headers,
    ],
    body: { kind: 'bytes', bytes },
  }
}

/** To another page of the same host. What it leads to must not learn the address it comes from. */
export function localRedirect(to: string, headers: readonly string[] = []): Reply {
  return {
    status: 303,
    headers: [
      ...['Location', to, 'Content-Length', '0', 'Cache-Control', 'no-store'],
      ...['Referrer-Policy', 'no-referrer', ...headers],
    ],
    body: noBody,
  }
}

export function signInPath(to: string, trouble: string): string {
  return `${ownPaths.signIn}?${new URLSearchParams({ to, trouble }).toString()}`
}
