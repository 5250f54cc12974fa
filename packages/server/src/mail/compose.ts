import { domainToUnicode } from 'node:url'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { escapeHtml, printableText } from '../kernel/escape-text.ts'
import type { NoticeRow } from './store.ts'

/** An event in the words of a mail. */
interface Notice {
  title: string
  text: string
  link: string
}

export type Composed = Record<'subject' | 'text' | 'html', string>

/** Each is told in full up to here; the dashboard has the others. */
const mostNotices = 20

/**
 * One mail about everything that happened. Strangers can sign up with somebody else's address, so they must not choose
 * its words: of what they entered, only host names are in it.
 */
export function composeMail(rows: readonly NoticeRow[], dashboard: string): Composed {
  const { host } = new URL(dashboard)
  const notices = rows.slice(0, mostNotices).map((row) => describe(row, dashboard))
  const hasMore = rows.length > mostNotices
  const more = 'There is more in the activity of your accounts.'
  const reason = `You get this email because you own an account on ${host}.`
  const [first] = notices
  return {
    subject:
      notices.length === 1 && first !== undefined
        ? first.title
        : `${rows.length} things need your attention on ${host}`,
    text: [
      ...notices.map(({ title, text, link }) => `${title}\n\n${text}\n${link}`),
      ...(hasMore ? [`${more}\n${dashboard}`] : []),
      `-- \n${reason}\n`,
    ].join('\n\n'),
    html: page([
      ...notices.map(
        ({ title, text, link }) =>
          `<h2 style="font-size:17px;margin:0 0 8px">${escapeHtml(title)}</h2>` +
          `<p style="margin:0 0 12px">${escapeHtml(text)}</p>` +
          `<p style="margin:0 0 32px"><a href="${escapeHtml(link)}" style="color:#2f5d50">Open it in Masthead</a></p>`,
      ),
      ...(hasMore ? [`<p style="margin:0 0 32px">${more}</p>`] : []),
      `<p style="margin:0;font-size:13px;color:#6b6b6b">${escapeHtml(reason)}</p>`,
    ]),
  }
}

function describe({ type, data, account_id, slug }: NoticeRow, dashboard: string): Notice {
  const details = JSON.parse(data) as Record<string, unknown>
  const shown = (name: string) => printableText(spelledOut(String(details[name] ?? '')), 300)
  const ofAccount = `${dashboard}/accounts/${encodeURIComponent(account_id)}`
  if (type === 'webhook.disabled') {
    return {
      title: `The webhook to ${shown('host')} was disabled`,
      text:
        details.reason === 'gone'
          ? 'Its endpoint answered 410 Gone. Events that waited were given up. If that was a mistake, enable it again.'
          : `No delivery succeeded for ${webhookLimits.daysUntilDisabled} days. Events that waited were given up. Once the endpoint works, enable it again.`,
      link: `${ofAccount}/webhooks`,
    }
  }
  const days = Number(details.days)
  const when = days <= 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`
  return {
    title: `The certificate of ${shown('hostname')} expires ${when}`,
    text: 'Masthead does not renew a certificate that you uploaded. Upload a new one, or let Masthead take over.',
    link:
      slug === null
        ? ofAccount
        : `${dashboard}/projects/${encodeURIComponent(slug)}/settings/domains/${encodeURIComponent(String(details.hostname))}`,
  }
}

/** A host as people write it, and as it is in DNS if that differs. */
function spelledOut(host: string): string {
  const port = /:\d+$/.exec(host)?.[0] ?? ''
  const name = host.slice(0, host.length - port.length)
  const unicode = /(?:^|\.)xn--/.test(name) ? domainToUnicode(name) : name
  return unicode === '' || unicode === name ? host : `${unicode}${port} (${host})`
}

function page(parts: readonly string[]): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">' +
    '<meta name="supported-color-schemes" content="light dark"></head>' +
    '<body style="margin:0;padding:32px 24px;font:15px/1.5 system-ui,sans-serif">' +
    `<div style="max-width:520px;margin:0 auto">${parts.join('')}</div></body></html>`
  )
}
