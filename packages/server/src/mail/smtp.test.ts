import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { refusal, startMailServer } from './mail.test-kit.ts'
import { MailError, sendMail, smtpOptions } from './smtp.ts'

const message = {
  id: 'evt_1.usr_1',
  to: 'ada@example.com',
  subject: 'Grüße',
  text: 'text',
  html: '<p>html</p>',
}
const users: SMTPServerOptions = {
  onAuth: ({ username, password }, _session, done) =>
    username === 'us:er' && password === 'p@ss'
      ? done(null, { user: username })
      : done(new Error('Invalid login')),
}
const login = `${encodeURIComponent('us:er')}:${encodeURIComponent('p@ss')}`
/** For a server elsewhere: only the names and addresses of this machine are trusted. */
const elsewhere = '127.0.0.2'

const refused = (fault: MailError['fault'], words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof MailError)
  assert.equal(error.fault, fault)
  assert.match(error.message, words)
  return true
}

test('STARTTLS is used when it is offered, smtps:// from the start, and both with a password', async () => {
  await using starttls = await startMailServer(users)
  await using implicit = await startMailServer({ ...users, secure: true })
  for (const [server, scheme] of [
    [starttls, 'smtp'],
    [implicit, 'smtps'],
  ] as const) {
    await sendMail(server.settings(`${scheme}://127.0.0.1:${server.port}`), message)
    await sendMail(server.settings(`${scheme}://${login}@localhost:${server.port}`), message)
    assert.deepEqual(
      server.mails.map(({ secure, user }) => [secure, user]),
      [
        [true, null],
        [true, 'us:er'],
      ],
    )
  }
  assert.match(starttls.mails[0]?.raw ?? '', /^Message-ID: <evt_1\.usr_1@example\.com>/im)
})

test('a password is not sent without TLS, nor to a server with a certificate that nobody signed', async () => {
  let attempts = 0
  const counting: SMTPServerOptions = {
    onAuth: (_auth, _session, done) => {
      attempts++
      done(new Error('no'))
    },
  }
  await using plain = await startMailServer({
    ...counting,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
  })
  await using unsigned = await startMailServer(counting)
  await using implicit = await startMailServer({ ...counting, secure: true })
  await assert.rejects(
    sendMail(plain.settings(`smtp://${login}@${elsewhere}:${plain.port}`), message),
    refused('server', /STARTTLS/),
  )
  await assert.rejects(
    sendMail(unsigned.settings(`smtp://${login}@${elsewhere}:${unsigned.port}`), message),
    refused('server', /certificate/),
  )
  await assert.rejects(
    sendMail(implicit.settings(`smtps://${login}@${elsewhere}:${implicit.port}`), message),
    refused('server', /certificate/),
  )
  assert.equal(attempts, 0)
  await sendMail(plain.settings(`smtp://${elsewhere}:${plain.port}`), message)
  assert.equal(plain.mails.length, 1)
})

test('a wrong password and a refused sender are faults of the server, not of the recipient', async () => {
  await using server = await startMailServer({
    ...users,
    onMailFrom: (_address, _session, done) => done(new Error('sender refused')),
  })
  await assert.rejects(
    sendMail(server.settings(`smtp://user:wrong@localhost:${server.port}`), message),
    refused('server', /Invalid login/),
  )
  await assert.rejects(sendMail(server.settings(), message), refused('server', /sender refused/))
})

test('a mail that is refused once it was seen is final after 5xx, and may work later after 4xx', async () => {
  let code = 554
  await using server = await startMailServer({}, () => Promise.reject(refusal(code, 'not like this')))
  await assert.rejects(sendMail(server.settings(), message), refused('message', /not like this/))
  code = 451
  await assert.rejects(sendMail(server.settings(), message), refused('temporary', /not like this/))
  code = 421
  await assert.rejects(sendMail(server.settings(), message), refused('server', /not like this/))
})

test('an abort ends the wait for a server that says nothing', async () => {
  await using server = await startMailServer({ onConnect: () => {} })
  const stop = new AbortController()
  const sending = sendMail(server.settings(), message, {
    signal: stop.signal,
    timeouts: { connect: 1_000, answer: 1_000 },
  })
  stop.abort()
  await assert.rejects(sending, refused('server', /Stopped/))
})

test('ports have the usual defaults', () => {
  const at = (url: string) => smtpOptions({ url, from: 'a@example.com' })
  assert.deepEqual(
    ['smtp://m.example', 'smtps://m.example', 'smtp://[2001:db8::1]:25']
      .map(at)
      .map(({ host, port, secure }) => [host, port, secure]),
    [
      ['m.example', 587, false],
      ['m.example', 465, true],
      ['2001:db8::1', 25, false],
    ],
  )
})
