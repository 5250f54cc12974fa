import assert from 'node:assert/strict'
import type { Invitation, PasswordReset } from '@masthead/contract/schemas/people.ts'
import { afterNextWrite, beforeNextWrite, overlap } from '../../database/interleave.test-kit.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const password = 'correct horse battery'
const better = 'staple ladder orchid'

/** Ada has two sessions, one of them somebody else's, who knows her password. */
async function startAda(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const owner = await api.newPerson(id, 'owner')
  const ada = await api.newPerson(id, 'developer', { password })
  const signIn = () => api.send('POST /v1/session', nobody, { json: { email: ada.email, password } })
  const thief = api.bySession(sessionToken(await signIn()))
  const changePassword = (as: Caller, chosen: string) =>
    api.send('PUT /v1/person/password', as, { json: { current: password, new: chosen } })
  const { database } = api.context
  return {
    owner,
    ada,
    thief,
    signIn,
    change: () => changePassword(ada.caller, better),
    changePassword,
    async resetWithLink() {
      const created = await api.send<PasswordReset>(`POST /v1/members/${ada.id}/password-reset`, owner.caller)
      const token = created.body.url.split('#')[1]
      return () => api.send('POST /v1/password-resets/use', nobody, { json: { token, password: better } })
    },
    sessions: () =>
      database.read.selectFrom('sessions').select('id').where('person_id', '=', ada.id).execute(),
  }
}

const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

onEachApi('the old password', (test) => {
  test('opens no session if it is changed while it is compared', async (api) => {
    const { change, signIn, sessions } = await startAda(api)
    afterNextWrite(api.context.database, change)
    assert.deepEqual(refusal(await signIn()), [401, 'wrong_credentials'])
    assert.equal((await sessions()).length, 1)
  })

  test('opens no session while its reset is not committed', async (api) => {
    const { resetWithLink, signIn, sessions } = await startAda(api)
    const [reset, signedIn] = await overlap(api.context.database, await resetWithLink(), signIn)
    assert.equal(reset.status, 201, reset.text)
    assert.deepEqual(refusal(signedIn), [401, 'wrong_credentials'])
    assert.equal((await sessions()).length, 1)
  })

  test('cannot be used for another change of password meanwhile', async (api) => {
    const { change, thief, changePassword } = await startAda(api)
    afterNextWrite(api.context.database, change)
    const refused = await changePassword(thief, 'another long password')
    assert.deepEqual(refusal(refused), [403, 'wrong_password'])
  })

  test('cannot be used for a change of the email address meanwhile', async (api) => {
    const { ada, change, thief } = await startAda(api)
    afterNextWrite(api.context.database, change)
    const json = { email: 'thief@example.com', current: password }
    assert.deepEqual(refusal(await api.send('PATCH /v1/person', thief, { json })), [403, 'wrong_password'])
    const signedIn = { email: ada.email, password: better }
    assert.equal((await api.send('POST /v1/session', nobody, { json: signedIn })).status, 201)
  })
})

onEachApi('a session that ends with a new password', (test) => {
  test('opens no other one by accepting an invitation meanwhile', async (api) => {
    const { ada, change, thief, sessions } = await startAda(api)
    const other = await api.newAccount('Other')
    const host = await api.newPerson(other.id, 'owner')
    const { body } = await api.send<Invitation & { url: string }>('POST /v1/invitations', host.caller, {
      json: { email: ada.email, role: 'viewer' },
    })
    beforeNextWrite(api.context.database, change)
    const json = { token: body.url.split('#')[1] }
    const refused = await api.send('POST /v1/invitations/accept', thief, { json })
    assert.deepEqual(refusal(refused), [409, 'email_taken'])
    assert.equal((await sessions()).length, 1)
  })

  test('is refused if it has ended before it is answered', async (api) => {
    const { resetWithLink, ada } = await startAda(api)
    const reset = await resetWithLink()
    const { database } = api.context
    afterNextWrite(database, () =>
      database.write((tx) => tx.deleteFrom('sessions').where('person_id', '=', ada.id).execute()),
    )
    const refused = await reset()
    assert.deepEqual(refusal(refused), [401, 'unauthenticated'])
    assert.deepEqual(refused.headers.getSetCookie(), [])
  })
})
