import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { day, minute, second } from '../../kernel/clock.ts'
import { hashPassword } from '../../people/password.ts'
import { type Answer, type ApiUnderTest, nobody, onEachApi } from '../api.test-kit.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'
const from = (address: string) => ({ 'X-Forwarded-For': address })
const behindProxy = { trustedProxies: ['127.0.0.1'] }

function deviceCookie({ headers }: Answer<unknown>): string {
  const cookie = headers.getSetCookie().find((line) => line.startsWith('masthead_device='))
  assert.match(cookie ?? '', /; HttpOnly; SameSite=Lax$/)
  return cookie?.split(';')[0] ?? ''
}

onEachApi('guessing', (test) => {
  test(
    'one person is slowed down after five attempts from any address, and works again after the wait',
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

  /** A stranger with any number of addresses, who keeps this person's wait from running out. */
  async function guessFromEverywhere(api: ApiUnderTest, rounds: number): Promise<void> {
    for (let n = 0; n < rounds; n++) {
      const headers = from(`198.51.${100 + (n % 100)}.${1 + ((n * 7) % 250)}`)
      const json = { email, password: `guess number ${n}` }
      const { status } = await api.send('POST /v1/session', nobody, { json, headers })
      assert.ok(status === 401 || status === 429, String(status))
    }
  }

  test(
    'does not lock a person out of a known browser, or of a known network without it',
    async (api) => {
      const { id } = await api.newAccount()
      await api.newPerson(id, 'owner', { email, password })
      const home = from('203.0.113.7')
      const signIn = (headers: Record<string, string>, json = { email, password }) =>
        api.send('POST /v1/session', nobody, { json, headers })
      const first = await signIn(home)
      assert.equal(first.status, 201)
      const browser = { Cookie: deviceCookie(first) }
      for (let round = 0; round < 3; round++, api.clock.at += 10 * second) {
        await guessFromEverywhere(api, 7)
        const away = from(`192.0.2.${round}`)
        assert.equal((await signIn(away)).status, 429, 'a stranger’s place waits')
        assert.equal((await signIn({ ...browser, ...away })).status, 201, 'the browser')
        assert.equal((await signIn(home)).status, 201, 'the network')
        const forged = { Cookie: browser.Cookie.replace(/.{5}$/, 'AAAAA'), ...from(`192.0.2.${50 + round}`) }
        assert.equal((await signIn(forged)).status, 429, 'a forged cookie')
      }
    },
    behindProxy,
  )

  test(
    'from a known browser or network is slowed down like any other, and each separately',
    async (api) => {
      const { id } = await api.newAccount()
      await api.newPerson(id, 'owner', { email, password })
      const away = from('192.0.2.1')
      const home = from('203.0.113.7')
      const signIn = (headers: Record<string, string>, json: object = { email, password }) =>
        api.send('POST /v1/session', nobody, { json, headers })
      const browser = { Cookie: deviceCookie(await signIn(home)), ...away }
      const wrong = { email, password: 'wrong' }
      for (let n = 0; n < 5; n++) assert.equal((await signIn(browser, wrong)).status, 401)
      assert.equal((await signIn(browser)).status, 429)
      for (let n = 0; n < 5; n++) assert.equal((await signIn(home, wrong)).status, 401)
      assert.equal((await signIn(home)).status, 429)
      assert.equal((await signIn(from('192.0.2.2'))).status, 201)
      api.clock.at += second
      assert.equal((await signIn(browser)).status, 201)
      assert.equal((await signIn(home)).status, 201)
    },
    behindProxy,
  )

  test(
    "is no easier with somebody else's cookie, or with one from before a password change",
    async (api) => {
      const { id } = await api.newAccount()
      const ada = await api.newPerson(id, 'owner', { email, password })
      await api.newPerson(id, 'viewer', { email: 'bob@example.com', password })
      const signIn = (headers: Record<string, string>, name = email) =>
        api.send('POST /v1/session', nobody, { json: { email: name, password }, headers })
      const bobs = { Cookie: deviceCookie(await signIn(from('203.0.113.8'), 'bob@example.com')) }
      const own = { Cookie: deviceCookie(await signIn(from('203.0.113.7'))) }
      const password_hash = await hashPassword(password)
      await api.context.database.write((tx) =>
        tx.updateTable('people').set({ password_hash }).where('id', '=', ada.id).execute(),
      )
      await guessFromEverywhere(api, 8)
      for (const cookie of [bobs, own])
        assert.equal((await signIn({ ...cookie, ...from('192.0.2.9') })).status, 429)
    },
    behindProxy,
  )

  test(
    'leaves few rows behind: the latest twenty networks of a person, for half a year',
    async (api) => {
      const { id } = await api.newAccount()
      await api.newPerson(id, 'owner', { email, password })
      const signIn = (address: string) =>
        api.send('POST /v1/session', nobody, { json: { email, password }, headers: from(address) })
      const networks = async () => {
        const rows = await api.context.database.read.selectFrom('known_networks').select('network').execute()
        return rows.map(({ network }) => network)
      }
      for (let n = 0; n < 23; n++, api.clock.at += second) await signIn(`2001:db8:0:${n}::${n}`)
      assert.equal((await networks()).length, 20)
      assert.ok(!(await networks()).includes('2001:db8:0:2::/64'))
      api.clock.at += 181 * day
      await signIn('192.0.2.1')
      assert.deepEqual(await networks(), ['192.0.2.1'])
    },
    behindProxy,
  )

  test(
    'and signing in are recorded in the activity of the account, with the network, but not for every guess',
    async (api) => {
      const { id } = await api.newAccount()
      const { caller } = await api.newPerson(id, 'owner', { email, password })
      const signIn = (address: string, typed = password) =>
        api.send('POST /v1/session', nobody, { json: { email, password: typed }, headers: from(address) })
      for (let n = 1; n <= 12; n++, api.clock.at += 31 * second) await signIn(`198.51.100.${n}`, 'wrong')
      await signIn('203.0.113.7')
      await signIn('203.0.113.7')
      const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=member', caller)
      assert.deepEqual(
        body.items.map(({ type, actor, data }) => [type, actor.name, data]),
        [
          ['member.signed_in', email, { email, network: '203.0.113.7', known: true }],
          ['member.signed_in', email, { email, network: '203.0.113.7', known: false }],
          ['member.sign_in_failed', 'Masthead', { email, network: '198.51.100.5', failures: 5 }],
        ],
      )
    },
    behindProxy,
  )

  test(
    'from one address is slowed down after twenty attempts, for any person',
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

  test('simultaneously is slowed down as if it were sequential', async (api) => {
    const guesses = Array.from({ length: 12 }, () =>
      api.send('POST /v1/session', nobody, { json: { email, password: 'wrong' } }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 7)
  })

  test('does not include successful sign-ins of a whole office', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'owner', { email, password })
    for (let n = 0; n < 22; n++) {
      assert.equal((await api.send('POST /v1/session', nobody, { json: { email, password } })).status, 201)
    }
  })

  test('at command-line logins is slowed down after thirty', async (api) => {
    const ask = () => api.send('POST /v1/logins', nobody, { json: { client: 'cli' } })
    for (let n = 0; n < 30; n++) assert.equal((await ask()).status, 201)
    const slowed = await ask()
    assert.equal(slowed.status, 429)
    assert.equal(slowed.headers.get('retry-after'), '1')
    api.clock.at += second
    assert.equal((await ask()).status, 201)
  })
})
