import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { roleNames, roles, type Scope, scopeNames } from '@masthead/contract/scopes.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { minute } from '../../kernel/clock.ts'
import { type Caller, nobody, startApi } from '../api.test-kit.ts'

/** Valid path parameters that name nothing. */
const absent: Record<string, string> = {
  project: 'absent',
  deployment: 'dpl_06d8f2k4m9q1s7x3b5n0',
  sha256: '0'.repeat(64),
  person: 'usr_06d8f2k4m9q1s7x3b5n0',
  invitation: 'inv_06d8f2k4m9q1s7x3b5n0',
  key: 'key_06d8f2k4m9q1s7x3b5n0',
  account: 'acc_06d8f2k4m9q1s7x3b5n0',
  code: 'BCDF-GHJK',
  hostname: 'absent.example',
  name: 'absent.localhost',
  type: 'A',
}

interface Asker {
  name: string
  caller: () => Promise<Caller>
  may: (access: Exclude<Endpoint['access'], 'public'>) => boolean
}

onEachDatabase('access', (databases) => {
  test('every endpoint answers 401 and 403 to exactly those without its required access', async () => {
    await using database = await databases.open()
    // Every response is read to its end, so streams must be short.
    await using api = await startApi(database, { streamLimits: { maxDuration: 20 } })
    const { id: accountId } = await api.newAccount()
    const person = (role: keyof typeof roles, operator: boolean) => async () =>
      (await api.newPerson(accountId, role, { operator })).caller

    const askers: Asker[] = [
      { name: 'the operator key', caller: async () => api.operator, may: isOneOf('any', 'operator') },
      {
        name: 'an operator who only views',
        caller: person('viewer', true),
        may: isOneOf('any', 'session', 'operator', 'read'),
      },
      ...roleNames.map((role) => ({
        name: `a person as ${role}`,
        caller: person(role, false),
        may: isOneOf('any', 'session', ...roles[role].scopes),
      })),
      ...scopeNames.map((scope: Scope) => ({
        name: `a key with ${scope}`,
        caller: async () => (await api.newKey(accountId, [scope])).caller,
        may: isOneOf('any', scope),
      })),
    ]

    const wrong: string[] = []
    const callers = new Map<string, Caller>()
    for (const [name, { route, access, peopleOnly }] of Object.entries(endpoints) as [string, Endpoint][]) {
      const address = route.replaceAll(/\{(\w+)\}/g, (_, part: string) => absent[part] ?? '')
      const method = route.split(' ')[0] ?? ''
      const input = method === 'GET' || method === 'DELETE' ? {} : { json: {} }
      const expect = async (asker: string, caller: Caller, refusal: 401 | 403 | null) => {
        const { status } = await api.send(address, caller, input)
        const right = refusal === null ? status !== 401 && status !== 403 && status < 500 : status === refusal
        if (!right) wrong.push(`${name} answers ${status} to ${asker}`)
      }
      // Every endpoint gets its own minute, so that limits do not interfere.
      api.clock.at += minute
      await expect('nobody', nobody, access === 'public' ? null : 401)
      for (const { name: asker, caller, may } of askers) {
        const isKey = asker.startsWith('a key')
        const allowed = access === 'public' || (may(access) && !(peopleOnly === true && isKey))
        const known = callers.get(asker) ?? (await caller())
        await expect(asker, known, allowed ? null : 403)
        // What is allowed may have ended the session or removed the person.
        if (allowed && method !== 'GET') callers.delete(asker)
        else callers.set(asker, known)
      }
    }
    assert.deepEqual(wrong, [])
  })
})

function isOneOf(...accesses: Endpoint['access'][]): (access: Endpoint['access']) => boolean {
  return (access) => accesses.includes(access)
}
