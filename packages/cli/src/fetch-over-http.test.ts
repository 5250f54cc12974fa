import assert from 'node:assert/strict'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { AnyFetch, FetchInit } from '@masthead/client/request.ts'
import { temporaryFile } from '@masthead/testing/temporary-folder.ts'
import { fetchOverHttp } from './fetch-over-http.ts'

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** What arrived, as JSON. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request
  const body = (await buffer(request)).toString('base64')
  const { authorization = null, 'content-type': type = null } = headers
  response.end(JSON.stringify({ method, url, body, authorization, type }))
}

const ways: [string, AnyFetch][] = [
  ['ours', fetchOverHttp],
  ['that of Node.js', (url, init) => fetch(url, init as RequestInit)],
]

describe('the same as fetch', () => {
  const bytes = new Uint8Array(300_000).map((_, index) => index)
  const bodies: [string, () => FetchInit][] = [
    ['nothing', () => ({})],
    ['an empty text', () => ({ method: 'POST', body: '' })],
    ['a text', () => ({ method: 'PUT', body: 'grüße', headers: { 'content-type': 'text/plain' } })],
    ['bytes', () => ({ method: 'PUT', body: bytes })],
    ['a blob', () => ({ method: 'PUT', body: new Blob([bytes, 'end']) })],
    ['a stream', () => ({ method: 'POST', body: new Blob([bytes]).stream(), duplex: 'half' })],
    ['a deletion', () => ({ method: 'DELETE', headers: { authorization: 'Bearer 1' } })],
  ]
  for (const [name, init] of bodies) {
    test(`sends ${name}`, async () => {
      await using server = await serve(echo)
      const [ours, theirs] = await Promise.all(
        ways.map(async ([, send]) => JSON.parse(await (await send(server.url, init())).text())),
      )
      const wanted = init()
      // Without a type, fetch adds one to texts.
      if (typeof wanted.body === 'string' && wanted.headers === undefined) ours.type = theirs.type
      assert.deepEqual(ours, theirs)
    })
  }

  const answers: [string, number, Record<string, string>, string | Buffer | null][] = [
    ['a text', 200, { 'content-type': 'text/plain; charset=utf-8', etag: '"1"' }, 'grüße'],
    ['a mark at the start of a text', 200, {}, '\ufeffgrüße'],
    ['bytes that are no UTF-8', 200, {}, Buffer.from([0x61, 0xff, 0x62])],
    ['no content', 204, { 'masthead-version': '1.2.3' }, null],
    ['a refusal', 429, { 'retry-after': '7' }, '{"code":"rate_limited"}'],
    ['a failure', 503, {}, ''],
    ['a redirect without a target', 302, {}, 'nowhere'],
    ['not modified', 304, {}, null],
  ]
  for (const [name, status, headers, body] of answers) {
    test(`receives ${name}`, async () => {
      await using server = await serve((_, response) => response.writeHead(status, headers).end(body))
      const seen = await Promise.all(
        ways.map(async ([, send]) => {
          const { ok, status, headers, ...answer } = await send(server.url).then(async (answer) => ({
            ok: answer.ok,
            status: answer.status,
            headers: answer.headers,
            text: await answer.text(),
          }))
          const names = ['ETag', 'retry-after', 'masthead-version', 'content-type', 'x-none']
          return { ok, status, ...answer, headers: names.map((name) => headers.get(name)) }
        }),
      )
      assert.deepEqual(seen[0], seen[1])
    })
  }

  for (const status of [301, 302, 303, 307, 308]) {
    for (const method of ['GET', 'POST', 'PUT']) {
      test(`follows ${status} after ${method}, and keeps secrets from strangers`, async () => {
        await using other = await serve(echo)
        await using server = await serve((request, response) => {
          if (request.url === '/here') return void echo(request, response)
          const target = request.url === '/away' ? new URL('/there?a=1', other.url).href : '/here'
          request.resume().once('end', () => response.writeHead(status, { location: target }).end('moved'))
        })
        for (const path of ['/', '/away']) {
          const init: FetchInit = {
            method,
            headers: { authorization: 'Bearer secret', 'content-type': 'a/b' },
          }
          if (method !== 'GET') Object.assign(init, { body: new Uint8Array([1, 2]) })
          const [ours, theirs] = await Promise.all(
            ways.map(async ([, send]) =>
              JSON.parse(await (await send(new URL(path, server.url), init)).text()),
            ),
          )
          assert.deepEqual(ours, theirs)
          assert.equal(ours.authorization, path === '/away' ? null : 'Bearer secret')
        }
      })
    }
  }

  for (const [way, send] of ways) {
    test(`an answer that is cut off is an error (${way})`, async () => {
      await using server = await serve((_, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('half')
        setTimeout(() => response.destroy(), 20)
      })
      const answer = await send(server.url)
      await assert.rejects(answer.text())
    })

    test(`a request can be given up before, while it waits, and while it is answered (${way})`, async () => {
      await using server = await serve((request, response) => {
        if (request.url === '/begins') response.writeHead(200).write('…')
      })
      const reason = new Error('no longer wanted')
      await assert.rejects(send(server.url, { signal: AbortSignal.abort(reason) }), reason)
      const ending = new AbortController()
      const waiting = send(server.url, { signal: ending.signal })
      setTimeout(() => ending.abort(reason), 20)
      await assert.rejects(waiting, reason)
      const late = new AbortController()
      const answer = await send(new URL('/begins', server.url), { signal: late.signal })
      setTimeout(() => late.abort(reason), 20)
      await assert.rejects(answer.text())
    })

    test(`a refusal in the middle of an upload is read (${way})`, async () => {
      await using server = await serve((request, response) => {
        request.once('data', () => {
          response.writeHead(413).end('too large')
          request.resume()
        })
      })
      const answer = await send(server.url, { method: 'PUT', body: new Blob([new Uint8Array(5_000_000)]) })
      assert.equal(answer.status, 413)
      assert.equal(await answer.text(), 'too large')
    })

    test(`a file that changes while it is sent never arrives as if it were whole (${way})`, async () => {
      let arrived = 0
      await using server = await serve((request, response) => {
        request.on('end', () => {
          if (request.complete) arrived++
          response.end()
        })
        request.on('error', () => {}).resume()
      })
      await using file = await temporaryFile('site.bin', 'a'.repeat(3_000_000))
      const body = await openAsBlob(file.path)
      await writeFile(file.path, 'shorter')
      await assert.rejects(send(server.url, { method: 'PUT', body }))
      assert.equal(arrived, 0)
    })

    test(`parts of an answer are read as they come (${way})`, async () => {
      await using server = await serve((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('one')
      })
      const ending = new AbortController()
      const answer = await send(server.url, { signal: ending.signal })
      const reader = answer.body?.getReader()
      assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'one')
      ending.abort()
      await assert.rejects(async () => reader?.read())
    })
  }
})

test('a circle of redirects ends with the last of them', async () => {
  let requests = 0
  await using server = await serve((_, response) => {
    requests++
    response.writeHead(308, { location: '/' }).end()
  })
  assert.equal((await fetchOverHttp(server.url)).status, 308)
  assert.equal(requests, 6)
})

test('a redirect with an endless body is left', async () => {
  const left = Promise.withResolvers<void>()
  await using server = await serve((request, response) => {
    if (request.url !== '/') return void response.end('arrived')
    response.writeHead(302, { location: '/next' })
    const pour = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', pour)
    }
    response.once('close', left.resolve)
    pour()
  })
  assert.equal(await (await fetchOverHttp(server.url)).text(), 'arrived')
  await left.promise
})

test('hundreds of requests, one after the other and at once, use few connections', async () => {
  const connections = new Set<unknown>()
  await using server = await serve((request, response) => {
    connections.add(request.socket)
    echo(request, response)
  })
  const ask = async () => (await fetchOverHttp(server.url, { method: 'PUT', body: 'x' })).text()
  for (let count = 0; count < 100; count++) await ask()
  assert.equal(connections.size, 1)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 20; count++) await ask()
    }),
  )
  assert.ok(connections.size <= 9, `${connections.size}`)
})
