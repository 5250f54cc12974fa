import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { promisify } from 'node:util'
import { createClient } from '@masthead/client/client.ts'
import type { AnyFetch } from '@masthead/client/request.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type ContactOptions, createContact } from './contact.ts'
import { describeFailure } from './errors/failure.ts'
import { fetchOverHttp } from './fetch-over-http.ts'
import { Output } from './terminal/output.ts'

/** What a person reads about a server that a command could not reach, and how often it was tried. */
async function said(server: string, more: Partial<ContactOptions> = {}) {
  const stream = { write: () => true } as unknown as NodeJS.WriteStream
  const out = new Output({ stdin: {}, stdout: stream, stderr: stream, json: false, quiet: true })
  let tries = 0
  const fetch: AnyFetch = (...args) => {
    tries++
    return (more.fetch ?? fetchOverHttp)(...args)
  }
  const contact = createContact({ server, out, ...more, fetch })
  const client = createClient({ server, fetch: contact, retry: { unreachedMs: 1_000 } })
  const error = await client.getServer().then(
    () => assert.fail('It answered.'),
    (error: unknown) => error,
  )
  const { exit, sentences } = describeFailure(error)
  assert.equal(exit, 'unreachable')
  assert.match(sentences[0] ?? '', new RegExp(`^Could not reach ${server.replaceAll(/[[\]]/g, '\\$&')}: `))
  return { tried: sentences[0]?.split('\n').slice(1).join('\n') ?? '', tries }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port whose queue of connections is full: from here on, the system drops what comes. */
async function blackHole() {
  const program = `require('node:net').createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, function () {
    console.log(this.address().port)
  })`
  const child: ChildProcess = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(child)
  const [line] = await once(child.stdout?.setEncoding('utf8') ?? child, 'data')
  const port = Number(line)
  child.kill('SIGSTOP')
  const sockets: Socket[] = Array.from({ length: 8 }, () => connect({ host: '127.0.0.1', port }))
  for (const socket of sockets) socket.on('error', () => {})
  return {
    port,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      child.kill('SIGKILL')
    },
  }
}

test('a port that browsers refuse is asked like any other', async (t) => {
  const server = createServer((socket) =>
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi'),
  )
  t.after(() => server.close())
  server.listen(10_080, '127.0.0.9')
  await once(server, 'listening')
  assert.equal(await (await fetchOverHttp(new URL('http://127.0.0.9:10080'))).text(), 'hi')
})

test('nobody listens', async () => {
  const port = await freePort()
  const { tried } = await said(`http://127.0.0.1:${port}`)
  assert.equal(tried, `Tried 127.0.0.1:${port}: connection refused.`)
})

test('an address that never answers is tried once, and named', async () => {
  using hole = await blackHole()
  assert.deepEqual(await said(`http://127.0.0.1:${hole.port}`), {
    tried: `Tried 127.0.0.1:${hole.port}: no answer.`,
    tries: 1,
  })
})

test('every address of a name is named', async () => {
  using hole = await blackHole()
  const lookup = async () => ['127.0.0.1', '127.0.0.2', '127.0.0.1'].map((address) => ({ address }))
  const { tried } = await said(`http://masthead.example:${hole.port}`, { lookup, fetch: neverAnswers })
  assert.deepEqual(tried.split('\n'), [
    `Tried 127.0.0.1:${hole.port}: no answer.`,
    `Tried 127.0.0.2:${hole.port}: connection refused.`,
  ])
})

/** As one that waits for DNS or a connection. */
const neverAnswers = ((_url: unknown, init: RequestInit = {}) =>
  new Promise((_, reject) =>
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
  )) as AnyFetch

test('a name that does not exist is not looked up again and again', async () => {
  const { tried, tries } = await said('http://nobody.invalid')
  // Without a network, DNS says nothing at all.
  assert.match(tried, /^Tried nobody\.invalid: (?:the name is not in DNS|DNS does not answer.*)\.$/)
  if (tried.includes('not in DNS')) assert.equal(tries, 1)
})

test('a DNS server that is silent is not waited for', async () => {
  const lookup = () => new Promise<never>(() => {})
  const { tried } = await said('http://masthead.example', { lookup, fetch: neverAnswers })
  assert.equal(tried, 'Tried masthead.example: DNS does not answer. This machine may be offline.')
})

test('a port of another protocol, HTTPS where there is none, and a certificate of a stranger', async (t) => {
  const folder = await temporaryFolder('masthead-unreachable')
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'
  const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]
  await promisify(execFile)(requirePeer('openssl'), [...request.split(' '), ...files])
  const mail = createServer((socket) => socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'))
  const stranger = createTlsServer({ key: await readFile(key), cert: await readFile(cert) })
  t.after(async () => {
    mail.close()
    stranger.close()
    await folder.remove()
  })
  const [mailPort, strangerPort] = [await listening(mail), await listening(stranger)]
  for (const [server, words] of [
    [`http://127.0.0.1:${mailPort}`, /it does not speak HTTP there/],
    [`https://127.0.0.1:${mailPort}`, /it does not speak HTTPS there/],
    [`https://127.0.0.1:${strangerPort}`, /this machine does not trust its certificate/],
  ] as const) {
    const { tried, tries } = await said(server)
    assert.match(tried, words)
    assert.equal(tries, 1, server)
  }
})
