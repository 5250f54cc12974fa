import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import { tar } from '../../deployments/archive/tar.test-kit.ts'
import { zip } from '../../deployments/archive/zip.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

const route = '/v1/projects/site/deployments'
const page = { name: 'index.html', content: 'hello' }
const plain = new Uint8Array(tar(page))
const bodies = { tar: plain, 'tar.gz': new Uint8Array(gzipSync(plain)), zip: new Uint8Array(zip(page)) }
const types = { tar: 'application/x-tar', 'tar.gz': 'application/gzip', zip: 'application/zip' }
type Format = keyof typeof bodies
const formats = Object.keys(bodies) as Format[]

async function newSite(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  return caller
}

onEachApi('an archive', (test) => {
  test('that is sent as another kind is refused with the type to send it as', async (api) => {
    const caller = await newSite(api)
    for (const is of formats) {
      for (const sentAs of formats) {
        const headers = { 'Content-Type': types[sentAs] }
        const { status, body } = await api.send(`POST ${route}`, caller, { headers, body: bodies[is] })
        if (is === sentAs) assert.equal(status, 201)
        else {
          assert.deepEqual([status, body.code], [422, 'archive_invalid'])
          assert.equal(body.detail, `This is a ${is}, and not a ${sentAs}. Send it as ${types[is]}.`)
        }
      }
    }
    const headers = { 'Content-Type': 'application/json' }
    const asJson = await api.send(`POST ${route}`, caller, { headers, body: bodies['tar.gz'] })
    assert.equal(asJson.body.detail, 'The body is a tar.gz, and not JSON. Send it as application/gzip.')
  })

  test('of listed files is not to be sent as a type that is refused there', async (api) => {
    const caller = await newSite(api)
    const sha256 = createHash('sha256').update('hello').digest('hex')
    const json = { files: { '/index.html': { sha256, size: 5 } } }
    const { body } = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json })
    const headers = { 'Content-Type': types.tar }
    const sent = await api.send(`POST ${route}/${body.id}/files`, caller, { headers, body: bodies.zip })
    const remedy = 'Send a tar as application/x-tar, or a tar.gz as application/gzip.'
    assert.equal(sent.body.detail, `This is a zip, and not a tar. ${remedy}`)
  })
})

onEachApi('a body with a Content-Encoding', (test) => {
  test('is refused on every route with a body, and nothing comes of it', async (api) => {
    const caller = await newSite(api)
    const sha256 = createHash('sha256').update('hello').digest('hex')
    const json = { files: { '/index.html': { sha256, size: 5 } } }
    const { body } = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json })
    for (const [to, type, content] of [
      ['POST /v1/projects', 'application/json', '{"slug":"other"}'],
      [`POST ${route}`, types.tar, plain],
      [`PUT ${route}/${body.id}/files/${sha256}`, 'application/octet-stream', 'hello'],
    ] as const) {
      for (const encoding of ['gzip', 'BR', 'identity, gzip']) {
        const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
        const refused = await api.send(to, caller, { headers, body: new Uint8Array(gzipSync(content)) })
        assert.deepEqual([refused.status, refused.body.code], [415, 'unsupported_media_type'], to)
        assert.equal(refused.headers.get('accept-encoding'), 'identity')
        assert.match(refused.body.detail, new RegExp(`Content-Encoding ${encoding}\\. Send it without\\.$`))
      }
    }
    const headers = { 'Content-Type': types.tar, 'Content-Encoding': 'identity' }
    const sent = await api.send<Deployment>(`POST ${route}`, caller, { headers, body: plain })
    assert.equal(sent.status, 201, sent.text)
  })

  test('is no matter where no body is expected', async (api) => {
    const caller = await newSite(api)
    const headers = { 'Content-Encoding': 'gzip' }
    assert.equal((await api.send('GET /v1/projects/site', caller, { headers })).status, 200)
    assert.equal((await api.send('DELETE /v1/projects/site', caller, { headers })).status, 204)
  })
})
