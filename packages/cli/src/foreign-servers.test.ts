import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brokenServer } from '../test/broken-server.ts'
import { hostileServer } from '../test/hostile-server.ts'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

const server = serverForFile()
const files = { 'site/index.html': 'hi' }

async function answersTo(lines: readonly string[], answer: { status?: number; body: string }) {
  await using place = await createWorkplace(server(), files)
  await using foreign = await brokenServer({ type: 'application/json', ...answer })
  const MASTHEAD_KEY = server().account.key
  const answers = []
  for (const line of lines) {
    const signedOut = { MASTHEAD_SERVER: foreign.url }
    const env = line === 'login' ? signedOut : { ...signedOut, MASTHEAD_KEY }
    answers.push({ line, ...(await place.run(line, { env })) })
  }
  return answers
}

const id = '06d8f2k4m9q1s7x3b5n0'
const commands = [
  'whoami',
  'projects create x',
  'deploy site',
  'open x',
  'domains check www.acme.com',
  'domains remove www.acme.com -p x --yes',
  'login',
  'keys create x',
  `keys revoke key_${id} --yes`,
  'webhooks add https://acme.com/hook',
  'webhooks listen',
]

test('another program that answers with JSON is told from Masthead by every command', async () => {
  for (const { line, exitCode, stdout, stderr } of await answersTo(commands, { body: '{"status":"ok"}' })) {
    assert.deepEqual([exitCode, stdout], [1, ''], line)
    assert.match(
      stderr,
      /^http:\S+ answered with status 200, but not as Masthead's API does\. It said "{"status":"ok"}"\.\nCheck --server and MASTHEAD_SERVER\.\n$/m,
      line,
    )
    assert.doesNotMatch(stderr, /undefined|masthead itself/, line)
  }
})

test('another version of Masthead whose answers are of another shape is named with both versions', async () => {
  await using place = await createWorkplace(server(), files)
  await using other = await hostileServer({})
  const env = { ...place.signedIn, MASTHEAD_SERVER: other.url }
  for (const line of ['whoami', 'projects', 'deploy site', 'domains check www.acme.com', 'logs -p x']) {
    const { exitCode, stdout, stderr } = await place.run(line, { env })
    assert.deepEqual([exitCode, stdout], [1, ''], line)
    assert.match(
      stderr,
      /^(http:\S+) is Masthead 1\.0\.0 and answered otherwise than this command line, \d+\.\d+\.\d+, expects\.\nUse the command line that the server offers: see \1\/cli\. If it fails too, update the server\.\n$/,
      line,
    )
  }
})

test('whatever the JSON is', async () => {
  const bodies = ['{}', '[]', 'null', '"hi"', '', '{"items":null,"next":null}', '{"items":[{}],"next":null}']
  for (const body of bodies) {
    for (const { line, exitCode, stderr } of await answersTo(['projects'], { body })) {
      assert.equal(exitCode, 1, `${line} ${body}`)
      assert.match(stderr, /answered with status 200, but not as Masthead's API does/, `${line} ${body}`)
    }
  }
})

test('an error in JSON that is no problem document of Masthead is quoted', async () => {
  for (const [status, body] of [
    [404, '{"error":"no such route"}'],
    [404, '{"code":"not_found","detail":"no such route"}'],
    [500, '{"code":"x","detail":"y","title":"z","requestId":"r","errors":"none"}'],
    [401, '{"code":401,"message":"who are you?"}'],
  ] as const) {
    for (const { line, exitCode, stderr } of await answersTo(['whoami'], { status, body })) {
      assert.equal(exitCode, 1, `${line} ${body}`)
      assert.ok(
        stderr.includes(`answered with status ${status}, but not as Masthead's API does. It said "${body}".`),
        stderr,
      )
    }
  }
})
