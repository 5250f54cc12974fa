import assert from 'node:assert/strict'
import type { CreatedDeployment } from '@masthead/contract/schemas/deployment.ts'
import { type ApiUnderTest, nobody, onEachApi } from './api.test-kit.ts'

const json = { 'Content-Type': 'application/json' }
/** More than any error response needs. */
const smallAnswer = 8 * 1024

function fields(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown field ${n}`, n]))
}

function files(count: number): Record<string, { sha256: string; size: number }> {
  const entries = Array.from({ length: count }, (_, n) => [
    `/folder-${n % 100}/page-${n}.html`,
    { sha256: n.toString(16).padStart(64, '0'), size: n },
  ])
  return Object.fromEntries(entries)
}

async function newProject(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin', 'domains'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'a' } })
  return caller
}

onEachApi('a body', (test) => {
  test('of more than 64 KiB is refused by default, however it is sent', async (api) => {
    const caller = await newProject(api)
    const body = JSON.stringify({ client: 'x'.repeat(64 * 1024) })
    for (const route of ['POST /v1/logins', 'POST /v1/session', 'POST /v1/setup', 'POST /v1/projects']) {
      const refused = await api.send(route, caller, { headers: json, body })
      assert.deepEqual([refused.status, refused.body.code], [413, 'body_too_large'], route)
      assert.ok(refused.text.length < smallAnswer)
    }
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < 10; at++) controller.enqueue(Buffer.alloc(16 * 1024, ' '))
        controller.close()
      },
    })
    const chunked = { method: 'POST', headers: { ...json, ...caller }, body: chunks, duplex: 'half' }
    const refused = await fetch(`${api.origin}/v1/logins`, chunked as RequestInit)
    assert.equal(refused.status, 413)
  })

  test('with too many invalid fields gets the first twenty and the number of others', async (api) => {
    for (const count of [20, 21, 900]) {
      const refused = await api.send('POST /v1/logins', nobody, { json: { client: 'x', ...fields(count) } })
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_input'])
      assert.equal(refused.body.errors?.length, 20)
      assert.equal(refused.body.moreErrors, count > 20 ? count - 20 : undefined)
      assert.match(refused.body.detail, new RegExp(`^${count} values are invalid`))
      assert.ok(refused.text.length < smallAnswer)
    }
  })

  test('with more values than a route can use is refused before validation', async (api) => {
    for (const body of [JSON.stringify(fields(2_000)), '['.repeat(60_000), `[${'{},'.repeat(10_000)}{}]`]) {
      const refused = await api.send('POST /v1/logins', nobody, { headers: json, body })
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_input'])
      assert.match(refused.body.detail, /more than 1000 values/)
    }
  })

  test('with long names is not echoed in the response', async (api) => {
    const refused = await api.send('POST /v1/logins', nobody, {
      json: { client: 'x', ['long'.repeat(10_000)]: 1 },
    })
    assert.equal(refused.status, 422)
    assert.ok(refused.text.length < smallAnswer)
  })

  test('that lists 20,000 files is accepted, and each invalid one is found', async (api) => {
    const caller = await newProject(api)
    const list = files(20_000)
    const made = await api.send<CreatedDeployment>('POST /v1/projects/a/deployments', caller, {
      json: { files: list },
    })
    assert.equal(made.status, 201)
    assert.deepEqual([made.body.files, made.body.missing.length], [20_000, 20_000])

    const wrong = Object.entries(list).map(([path, file], n) => [
      path,
      n % 100 === 7 ? { ...file, size: -1 } : file,
    ])
    const refused = await api.send('POST /v1/projects/a/deployments', caller, {
      json: { files: Object.fromEntries(wrong) },
    })
    assert.equal(refused.status, 422)
    assert.deepEqual([refused.body.errors?.length, refused.body.moreErrors], [20, 180])
    assert.deepEqual(refused.body.errors?.[0], {
      path: 'files./folder-7/page-7.html.size',
      message: 'must be at least 0',
    })
  })

  test('that lists more than a deployment may have is refused', async (api) => {
    const caller = await newProject(api)
    const many = { files: files(20_001) }
    const refused = await api.send('POST /v1/projects/a/deployments', caller, { json: many })
    assert.deepEqual([refused.status, refused.body.code], [422, 'too_many_files'])
    const wide = `{"files":{${Array.from({ length: 300_000 }, (_, n) => `"${n}":1`).join()}}}`
    const counted = await api.send('POST /v1/projects/a/deployments', caller, { headers: json, body: wide })
    assert.deepEqual([counted.status, counted.body.code], [422, 'invalid_input'])
    const large = { files: { '/a': { sha256: 'a'.repeat(9 * 1024 ** 2), size: 1 } } }
    assert.equal((await api.send('POST /v1/projects/a/deployments', caller, { json: large })).status, 413)
  })
})
