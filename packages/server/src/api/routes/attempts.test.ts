import assert from 'node:assert/strict'
import { minute, second } from '../../clock.ts'
import { nobody, onEachApi } from '../api.test-kit.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'
const from = (address: string) => ({ 'X-Forwarded-For': address })
const behindProxy = { trustedProxies: ['127.0.0.1'] }

onEachApi('guessing', (test) => {
  test(
    'one person is slowed after five attempts, whatever their addresses, and goes on when the time is over',
    async (api) => {
      const { id } = await api.newAccount()
      await api.newPerson(id, 'owner', { email, password })
      let guesses = 0
      const signIn = (json: object) =>
        api.send('POST /v1/session', nobody, { json, headers: from(`203.0.113.${++guesses}`) })
      for (let n = 0; n < 5; n++) assert.equal((await signIn({ email, password: 'wrong' })).status, 401)
      const slowed = await signIn({ email, password })
      assert.equal(slowed.status, 429)
      assert.equal(slowed.body.code, 'too_many_attempts')
      assert.equal(slowed.headers.get('retry-after'), '1')

      api.clock.at += second
      assert.equal((await signIn({ email, password: 'wrong' })).status, 401)
      assert.equal((await signIn({ email, password })).headers.get('retry-after'), '2')
      api.clock.at += 2 * second
      assert.equal((await signIn({ email, password })).status, 201)
      assert.equal((await signIn({ email, password: 'wrong' })).status, 401)
      assert.equal((await signIn({ email, password })).status, 201)
    },
    behindProxy,
  )

  test(
    'from one address is slowed after twenty attempts, whoever is guessed',
    async (api) => {
      const guess = (n: number, address: string) =>
        api.send('POST /v1/session', nobody, {
          json: { email: `p${n}@example.com`, password: 'wrong' },
          headers: from(address),
        })
      for (let n = 0; n < 20; n++) assert.equal((await guess(n, `2001:db8::${n}`)).status, 401)
      assert.equal((await guess(20, '2001:db8::ffff')).status, 429)
      assert.equal((await guess(20, '2001:db8:0:1::1')).status, 401)
      api.clock.at += 61 * minute
      for (let n = 0; n < 20; n++) assert.equal((await guess(n, '2001:db8::1')).status, 401)
    },
    behindProxy,
  )

  test('at the same moment is slowed as if it were one after the other', async (api) => {
    const guesses = Array.from({ length: 12 }, () =>
      api.send('POST /v1/session', nobody, { json: { email, password: 'wrong' } }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 7)
  })

  test('is not what a whole office does that signs in rightly', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'owner', { email, password })
    for (let n = 0; n < 22; n++) {
      assert.equal((await api.send('POST /v1/session', nobody, { json: { email, password } })).status, 201)
    }
  })

  test('asking for command-line logins is slowed after thirty', async (api) => {
    const ask = () => api.send('POST /v1/logins', nobody, { json: { client: 'cli' } })
    for (let n = 0; n < 30; n++) assert.equal((await ask()).status, 201)
    const slowed = await ask()
    assert.equal(slowed.status, 429)
    assert.equal(slowed.headers.get('retry-after'), '1')
    api.clock.at += second
    assert.equal((await ask()).status, 201)
  })
})
