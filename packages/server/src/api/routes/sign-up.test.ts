import assert from 'node:assert/strict'
import { nobody, onEachApi } from '../api.test-kit.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

onEachApi('sign-up', (test) => {
  const json = { name: 'Ada', email, password }

  test(
    'creates a person with their own account',
    async (api) => {
      const made = await api.send<{ role: string; account: { name: string; plan: string } }>(
        'POST /v1/signup',
        nobody,
        { json },
      )
      assert.equal(made.status, 201)
      assert.equal(made.body.role, 'owner')
      assert.equal(made.body.account.name, 'Ada’s projects')
      assert.equal(made.body.account.plan, 'free')
    },
    { signup: 'open' },
  )

  test(
    'with a taken email address is refused, even simultaneously',
    async (api) => {
      const both = await Promise.all([1, 2].map(() => api.send('POST /v1/signup', nobody, { json })))
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      const again = await api.send('POST /v1/signup', nobody, { json: { ...json, email: 'ADA@example.com' } })
      assert.equal(again.body.code, 'email_taken')
    },
    { signup: 'open' },
  )

  test(
    'accepts an address at an international domain, and finds it in every spelling',
    async (api) => {
      const made = await api.send<{ person: { email: string } }>('POST /v1/signup', nobody, {
        json: { ...json, email: 'Info@Müller.example' },
      })
      assert.equal(made.status, 201)
      assert.equal(made.body.person.email, 'info@xn--mller-kva.example')
      for (const typed of [
        'info@müller.example'.normalize('NFD'),
        'INFO@XN--MLLER-KVA.example',
        'info@MÜLLER。example',
      ]) {
        const signedIn = await api.send('POST /v1/session', nobody, { json: { email: typed, password } })
        assert.equal(signedIn.status, 201, typed)
      }
      for (const typed of [
        'info@mül ler.example',
        'info@müller.example:25',
        'info@müller',
        'a@b@müller.example',
      ]) {
        const refused = await api.send('POST /v1/session', nobody, { json: { email: typed, password } })
        assert.equal(refused.status, 422, typed)
      }
    },
    { signup: 'open' },
  )

  test('is closed on an invitation-only server', async (api) => {
    const refused = await api.send('POST /v1/signup', nobody, { json })
    assert.equal(refused.status, 403)
    assert.equal(refused.body.code, 'signup_closed')
  })

  test(
    'refuses a password that is easy to guess, with the reason at its field',
    async (api) => {
      const guessed = ['aaaaaaaaaa', 'ADA@example.com', 'Grace Hopper', 'Password2026!', 'masthead.localhost']
      for (const password of guessed) {
        const refused = await api.send('POST /v1/signup', nobody, {
          json: { ...json, accountName: 'Grace Hopper', password },
        })
        assert.equal(refused.status, 422, password)
        assert.equal(refused.body.code, 'invalid_input')
        assert.equal(refused.body.errors?.[0]?.path, 'password')
        assert.ok(!refused.text.includes(password))
      }
      assert.equal((await api.send('POST /v1/signup', nobody, { json })).status, 201)
    },
    { signup: 'open' },
  )

  test(
    'requires a password of ten characters',
    async (api) => {
      const refused = await api.send('POST /v1/signup', nobody, { json: { ...json, password: 'short' } })
      assert.equal(refused.status, 422)
      assert.deepEqual(refused.body.errors, [
        { path: 'password', message: 'must have at least 10 characters' },
      ])
    },
    { signup: 'open' },
  )
})
