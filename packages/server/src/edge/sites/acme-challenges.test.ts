import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from '../edge.test-kit.ts'
import { ChallengeAnswers, type FindChallenge } from './acme-challenges.ts'

const place = '/.well-known/acme-challenge/'

test('a challenge is answered for any host, before redirects', async () => {
  const findChallenge = async (token: string) => (token === 'token_1' ? 'token_1.thumb' : null)
  const https = { originOf: (hostname: string) => `https://${hostname}`, redirect: true }
  await using edge = await startEdge({}, 'both', { findChallenge, https })
  await edge.publish('hello', { '/index.html': 'front' }, { redirect: { to: 'a.com', status: 301 } })
  for (const host of ['hello.masthead.localhost', 'nobody.example', 'localhost', '127.0.0.1']) {
    const { status, body, headers } = await edge.ask(`${place}token_1`, { host })
    assert.deepEqual([status, body.toString()], [200, 'token_1.thumb'])
    assert.equal(headers['content-type'], 'application/octet-stream')
  }
  assert.equal((await edge.ask(`${place}token_1`, {}, 'HEAD')).body.length, 0)
  assert.equal((await edge.ask(`${place}token_2`)).status, 404)
})

const from = '192.0.2.1'

function openAnswers(find: FindChallenge) {
  const asked: string[] = []
  const logged: unknown[] = []
  const clock = { now: Date.now() }
  const look: FindChallenge = (token) => {
    asked.push(token)
    return find(token)
  }
  return {
    answers: new ChallengeAnswers(
      look,
      { error: (...said: unknown[]) => void logged.push(said) },
      () => clock.now,
    ),
    asked,
    logged,
    clock,
  }
}

test('an invalid token, or another method than GET and HEAD, is not looked up', async () => {
  const { answers, asked } = openAnswers(async () => 'x')
  for (const name of ['', 'a/b', 'a.b', '%41', 'a'.repeat(257)]) {
    assert.equal(await answers.answer(place + name, 'GET', from), null)
  }
  assert.equal(await answers.answer(`${place}token`, 'POST', from), null)
  assert.deepEqual(asked, [])
})

test('the number of concurrent look-ups is bounded, and the rest wait', async () => {
  const held = Promise.withResolvers<string>()
  const { answers, asked } = openAnswers(() => held.promise)
  const all = Array.from({ length: 300 }, (_, n) => answers.answer(`${place}t${n}`, 'GET', `10.0.${n}.1`))
  assert.equal(asked.length, 256)
  held.resolve('ours.thumb')
  for (const reply of await Promise.all(all)) assert.equal(reply?.status, 200)
})

test('a certificate authority that sends all its requests at once is answered', async () => {
  const { answers } = openAnswers(async () => 'ours.thumb')
  const all = Array.from({ length: 500 }, (_, n) => answers.answer(`${place}t${n}`, 'GET', from))
  for (const reply of await Promise.all(all)) assert.equal(reply?.status, 200)
})

test('slow look-ups of invented tokens do not keep a certificate authority from its answer', async () => {
  const held = Promise.withResolvers<null>()
  const { answers } = openAnswers(async (token) => (token === 'ours' ? 'ours.thumb' : held.promise))
  const floods = Array.from({ length: 1000 }, (_, n) =>
    answers.answer(`${place}t${n}`, 'GET', `10.0.0.${n % 10}`),
  )
  assert.equal((await answers.answer(`${place}ours`, 'GET', from))?.status, 200)
  held.resolve(null)
  await Promise.all(floods)
})

test('an address that asks for many unknown tokens is refused for the rest of the second', async () => {
  const { answers, asked, clock } = openAnswers(async (token) => (token === 'ours' ? 'ours.thumb' : null))
  for (let n = 0; n < 1000; n++) await answers.answer(`${place}t${n}`, 'GET', `10.0.0.${n % 100}`)
  assert.equal(asked.length, 200)
  assert.equal((await answers.answer(`${place}ours`, 'GET', '10.0.0.1'))?.status, 503)
  assert.equal((await answers.answer(`${place}ours`, 'GET', from))?.status, 200)
  clock.now += 1000
  assert.equal((await answers.answer(`${place}ours`, 'GET', '10.0.0.1'))?.status, 200)
})

test('while the database is down the answer is 503, and the error is logged', async () => {
  const { answers, logged } = openAnswers(() => Promise.reject(new Error('the database is away')))
  assert.equal((await answers.answer(`${place}t`, 'GET', from))?.status, 503)
  assert.equal(logged.length, 1)
})

test('no published file answers a certificate authority on a platform name', async () => {
  await using edge = await startEdge()
  const proof = 'proof of control'
  const files = {
    '/.well-known/acme-challenge/token': proof,
    '/.well-known/acme-challenge/index.html': proof,
    '/.well-known/pki-validation/file.txt': proof,
    '/.well-known/security.txt': 'Contact: mailto:security@acme.com',
    '/404.html': proof,
  }
  await edge.publish('hello', files, { singlePage: true })
  await edge.publish('one--hello', files)
  await edge.publish('moved', files, { redirect: { to: 'www.acme.com', status: 301 } })
  edge.routes.set('www.acme.com', { kind: 'site', slug: 'hello' })
  for (const label of ['hello', 'one--hello', 'moved']) {
    for (const path of [
      '/.well-known/acme-challenge/token',
      '/.well-known/acme-challenge/',
      '/.well-known/acme-challenge/missing',
      '/%2ewell-known/acme-challenge/token',
      '/.well-known/acme%2Dchallenge/token?x',
      '//.well-known//acme-challenge/token',
      '/.well-known/pki-validation/file.txt',
    ]) {
      const { status, headers, body } = await edge.ask(path, { host: `${label}.masthead.localhost` })
      assert.deepEqual([status, headers.location], [404, undefined], `${label} ${path}`)
      assert.ok(!body.includes(proof), path)
    }
  }
  assert.equal((await edge.ask('/.well-known/security.txt')).status, 200)
  const own = await edge.ask('/.well-known/acme-challenge/token', { host: 'www.acme.com' })
  assert.equal(own.body.toString(), proof, 'a domain of the tenant is theirs to prove')
})
