import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { CreatedDeployment } from '@masthead/contract/schemas/deployment.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { until } from '@masthead/testing/until.ts'
import { tarGz } from '../archive/tar.test-kit.ts'
import { zip } from '../archive/zip.test-kit.ts'

const maxBytes = 4_000_000
/** No other of its account fits beside it. */
const content = randomBytes(3_000_000)
const archive = zip({ name: 'index.html', content, stored: true })

let masthead: MastheadProcess
before(async () => {
  masthead = await MastheadProcess.start({ env: { MASTHEAD_MAX_DEPLOYMENT_BYTES: String(maxBytes) } })
})
after(() => masthead.stop())

interface Answer {
  status: number | undefined
  headers: IncomingMessage['headers']
  body: CreatedDeployment & ProblemDocument
}

/** An account with a project. Routes start at its deployments. */
async function newUploader() {
  const { accountId, key, createProject } = await createPublisher(masthead)
  const slug = accountId.slice(-12)
  await createProject(slug)

  /** Sends all but the last byte. */
  async function hold(route: string, type: string, body: Uint8Array) {
    const [method = '', path = ''] = route.split(' ')
    const upload = request(`${masthead.origin}/v1/projects/${slug}/deployments${path}`, {
      method,
      agent: false,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, 'Content-Length': body.byteLength },
    })
    const answer = once(upload, 'response').then(answerOf)
    const sent = new Promise((resolve) => upload.write(body.subarray(0, -1), resolve))
    await Promise.race([sent, answer])
    return {
      answer,
      abort: () => upload.destroy(),
      finish: () => {
        upload.end(body.subarray(-1))
        return answer
      },
    }
  }
  const send = async (...upload: Parameters<typeof hold>) => (await hold(...upload)).finish()
  return {
    hold,
    send,
    holdZip: () => hold('POST ', 'application/zip', archive),
    sendZip: (bytes: Uint8Array = archive) => send('POST ', 'application/zip', bytes),
    sendJson: (route: string, body: unknown) =>
      send(route, 'application/json', Buffer.from(JSON.stringify(body))),
  }
}

type HeldUpload = Awaited<ReturnType<Awaited<ReturnType<typeof newUploader>>['hold']>>

async function answerOf([response]: IncomingMessage[]): Promise<Answer> {
  assert.ok(response)
  const { statusCode: status, headers } = response
  return { status, headers, body: JSON.parse((await text(response)) || 'null') }
}

/** Waits until all uploads but one are refused, and returns that one. */
async function onlyOneLeft(uploads: HeldUpload[]): Promise<HeldUpload> {
  const answers = new Map<HeldUpload, Answer>()
  for (const upload of uploads) upload.answer.then((answer) => answers.set(upload, answer)).catch(() => {})
  await until(() => answers.size === uploads.length - 1)
  for (const answer of answers.values()) assertRefused(answer)
  const left = uploads.find((upload) => !answers.has(upload))
  assert.ok(left)
  return left
}

function assertRefused({ status, headers, body }: Answer): void {
  assert.deepEqual([status, body.code], [429, 'too_many_uploads'], body.detail)
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/)
  assert.match(
    body.detail,
    /^The uploads of this account that are still arriving take [34]\.\d MB of at most 4\.0 MB\.$/,
  )
  assert.ok(Number(headers['retry-after']) >= 1)
}

test('zip archives of an account that arrive together are refused beyond the largest archive', async () => {
  const acme = await newUploader()
  const other = await newUploader()
  const left = await onlyOneLeft(await Promise.all(Array.from({ length: 4 }, acme.holdZip)))
  assert.equal((await other.sendZip()).status, 201)
  const tar = tarGz({ name: 'index.html', content })
  assert.equal((await acme.send('POST ', 'application/gzip', tar)).status, 201)

  left.abort()
  await assert.rejects(left.answer)
  await until(async () => (await acme.sendZip()).status === 201)
  const next = await onlyOneLeft(await Promise.all([acme.holdZip(), acme.holdZip()]))
  assert.equal((await next.finish()).status, 201)
  assert.equal((await acme.sendZip()).status, 201)
})

test('a zip archive that is too large on its own is told so, however often it is sent', async () => {
  const acme = await newUploader()
  const tooLarge = zip({ name: 'index.html', content: randomBytes(maxBytes), stored: true })
  for (let round = 0; round < 2; round++) {
    const { status, body } = await acme.sendZip(tooLarge)
    assert.deepEqual([status, body.code], [422, 'deployment_too_large'])
  }
  assert.equal((await acme.sendZip()).status, 201)
})

test('copies of a listed file that arrive together are refused beyond the largest deployment', async () => {
  const acme = await newUploader()
  const sha256 = hash('sha256', content)
  const files = { '/index.html': { sha256, size: content.byteLength } }
  const { id } = (await acme.sendJson('POST ', { files })).body
  const batch = tarGz({ name: sha256, content })
  const held = Array.from({ length: 3 }, () => [
    acme.hold(`PUT /${id}/files/${sha256}`, 'application/octet-stream', content),
    acme.hold(`POST /${id}/files`, 'application/gzip', batch),
  ])
  const left = await onlyOneLeft(await Promise.all(held.flat()))
  assert.equal(Math.floor(((await left.finish()).status ?? 0) / 100), 2)
  assert.equal((await acme.sendJson(`POST /${id}/finalize`, {})).status, 200)
})
