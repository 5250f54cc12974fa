import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeMail } from './compose.ts'
import type { NoticeRow } from './store.ts'

const row = (data: object, more: Partial<NoticeRow> = {}): NoticeRow => ({
  id: 'evt_1',
  type: 'webhook.disabled',
  data: JSON.stringify(data),
  account_id: 'acc_1',
  slug: null,
  email: 'ada@example.com',
  ...more,
})
const dashboard = 'https://masthead.example'

test('one notice is the subject, in both forms with its link', () => {
  const { subject, text, html } = composeMail([row({ host: 'h.example', reason: 'failing' })], dashboard)
  assert.equal(subject, 'The webhook to h.example was disabled')
  assert.match(text, /No delivery succeeded for 5 days/)
  for (const body of [text, html])
    assert.ok(body.includes('https://masthead.example/accounts/acc_1/webhooks'))
  const gone = composeMail([row({ host: 'h.example', reason: 'gone' })], dashboard)
  assert.match(gone.text, /410 Gone/)
})

test('a certificate of your own is named with the days it has left, and leads to its domain', () => {
  const expiring = (days: number) =>
    composeMail(
      [row({ hostname: 'www.acme.com', days }, { type: 'domain.certificate_expiring', slug: 'site' })],
      dashboard,
    )
  assert.deepEqual(
    [7, 1, 0].map((days) => expiring(days).subject),
    ['in 7 days', 'tomorrow', 'today'].map((when) => `The certificate of www.acme.com expires ${when}`),
  )
  assert.match(expiring(7).text, /\/projects\/site\/settings\/domains\/www\.acme\.com/)
})

test('an international domain is named as people write it, and as it is in DNS', () => {
  const { subject, text } = composeMail([row({ host: 'xn--bcher-kva.example', reason: 'gone' })], dashboard)
  assert.equal(subject, 'The webhook to bücher.example (xn--bcher-kva.example) was disabled')
  assert.ok(text.startsWith(subject))
  const withPort = composeMail([row({ host: 'xn--bcher-kva.example:8443', reason: 'gone' })], dashboard)
  assert.match(withPort.subject, / bücher\.example:8443 \(xn--bcher-kva\.example:8443\) /)
})

test('what strangers chose is no markup, no line of its own, and short', () => {
  const host = `<b>x</b>\r\nBcc: all@example.com\u202e${'y'.repeat(5_000)}`
  const { subject, text, html } = composeMail([row({ host, reason: 'failing' })], dashboard)
  assert.ok(!/[\r\n\u202e]/.test(subject) && subject.length < 400)
  assert.ok(!html.includes('<b>') && text.length < 2_000)
})

test('many notices are one mail that says so', () => {
  const rows = Array.from({ length: 35 }, (_, n) => row({ host: `h${n}.example`, reason: 'failing' }))
  const { subject, text } = composeMail(rows, dashboard)
  assert.equal(subject, '35 things need your attention on masthead.example')
  assert.equal(text.match(/was disabled/g)?.length, 20)
  assert.match(text, /more in the activity/)
})
