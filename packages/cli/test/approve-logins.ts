import assert from 'node:assert/strict'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import type { TestServer } from './test-server.ts'
import type { Workplace } from './workplace.ts'

const cookies = new WeakMap<MastheadProcess, string>()

/** The session of the first person on the server, created on first use. */
async function sessionOf({ origin, masthead }: TestServer): Promise<string> {
  const known = cookies.get(masthead)
  if (known !== undefined) return known
  const token = new URL(masthead.firstLink).hash.slice(1)
  const person = { token, name: 'Ada', email: 'ada@example.com', password: 'a long password' }
  const answer = await fetch(`${origin}/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(person),
  })
  assert.equal(answer.status, 201, await answer.text())
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  cookies.set(masthead, cookie.join('; '))
  return cookie.join('; ')
}

export interface ApprovedLogins {
  /** The code of the latest login. */
  code: string
  secret: string
}

/**
 * Approves or denies the logins of a workplace as a person in the browser would, after the command line has polled
 * `polls` times.
 */
export async function approveLogins(
  { server, proxy }: Workplace,
  decision: 'approve' | 'deny' = 'approve',
  polls = 0,
): Promise<ApprovedLogins> {
  const cookie = await sessionOf(server)
  const login: ApprovedLogins = { code: '', secret: '' }
  let polled = 0
  proxy.after.startLogin = (answer) => {
    Object.assign(login, answer)
    polled = 0
  }
  proxy.before.claimLogin = async () => {
    if (polled++ !== polls) return
    const headers = { origin: server.origin, cookie }
    const decided = await fetch(`${server.origin}/v1/logins/${login.code}/${decision}`, {
      method: 'POST',
      headers,
    })
    assert.equal(decided.status, 204, await decided.text())
  }
  return login
}
