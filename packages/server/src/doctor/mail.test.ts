import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMailServer } from '../mail/mail.test-kit.ts'
import { checkMail } from './mail.ts'

const check = (url: string) => checkMail({ url, from: 'masthead@example.com' }, AbortSignal.timeout(20_000))

test('a mail server that works, one that refuses the password, and none at all', async () => {
  const server = await startMailServer({
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'ada' }) : done(new Error('Invalid login')),
  })
  const at = (login: string, host = 'localhost') => `smtp://${login}${host}:${server.port}`
  assert.equal((await check(at('ada:right@'))).status, 'ok')
  assert.equal((await check(at(''))).status, 'ok')
  const refused = await check(at('ada:wrong-password@'))
  assert.equal(refused.status, 'problem')
  assert.match(`${refused.message} ${refused.fix}`, /Invalid login.*Correct the user and the password/)
  assert.doesNotMatch(refused.message, /wrong-password/)
  const untrusted = await check(at('ada:right@', '127.0.0.2'))
  assert.match(`${untrusted.message} ${untrusted.fix}`, /certificate.*NODE_EXTRA_CA_CERTS/)
  await server[Symbol.asyncDispose]()
  const nobody = await check(at(''))
  assert.match(`${nobody.message} ${nobody.fix}`, /ECONNREFUSED.*MASTHEAD_SMTP_URL/)
})
