import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { DoctorReport, Health } from '@masthead/contract/schemas/operator.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { until } from '@masthead/testing/until.ts'
import { followLog } from './read-log.ts'

const program = fileURLToPath(new URL('../packages/server/bin/masthead-server.js', import.meta.url))
const operatorKey = 'the operator key of this journey alone'
const dashboardHost = 'masthead.example'

/** Creates accounts, and refuses all they order. */
async function startRefusingCa(status: number, type: string, detail: string) {
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    const path = (name: string) => `http://${request.headers.host}/${name}`
    response.setHeader('Replay-Nonce', `nonce-${requests++}`)
    if (request.url === '/directory') {
      const [newNonce, newAccount, newOrder, keyChange] = ['nonce', 'account', 'order', 'key'].map(path)
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ newNonce, newAccount, newOrder, keyChange }))
    } else if (request.url === '/nonce') response.end()
    else if (request.url === '/account') response.writeHead(201, { Location: path('account/1') }).end('{}')
    else {
      response.writeHead(status, { 'Content-Type': 'application/problem+json' })
      response.end(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    directoryUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A server whose dashboard was visited, which orders its certificate. */
async function startServer(directoryUrl: string) {
  const env = {
    MASTHEAD_PLATFORM_DOMAIN: 'pages.example',
    MASTHEAD_DASHBOARD_HOST: dashboardHost,
    MASTHEAD_EDGE_ADDRESSES: '127.0.0.1',
    MASTHEAD_CA: directoryUrl,
    MASTHEAD_CA_CONTACT: 'operator@example.com',
    // Nobody answers there.
    MASTHEAD_DNS_SERVERS: '127.0.0.1:1',
    MASTHEAD_OPERATOR_KEY: operatorKey,
  }
  const masthead = await MastheadProcess.start({ env, apiHost: '127.0.0.1' })
  const log = followLog(masthead, 0)
  const settings = {
    ...env,
    MASTHEAD_DATA: masthead.dataFolder,
    MASTHEAD_HTTP_PORT: String(masthead.httpPort),
    MASTHEAD_HTTPS_PORT: String(masthead.httpsPort),
    MASTHEAD_LAB_PORT: 'off',
  }
  const headers = { authorization: `Bearer ${operatorKey}` }
  const visit = connect({ host: '127.0.0.1', port: masthead.httpsPort, servername: dashboardHost })
  visit.on('error', () => {})
  return {
    masthead,
    async certificates() {
      const answer = await fetch(`${masthead.origin}/v1/operator/health`, { headers })
      const { checks } = (await answer.json()) as Health
      return checks.find(({ name }) => name === 'certificates') ?? assert.fail()
    },
    metrics: async () => (await fetch(`${masthead.origin}/metrics`, { headers })).text(),
    /** `masthead-server doctor`, as an operator runs it. */
    async examine() {
      const child = execFile(process.execPath, [program, 'doctor', '--json'], {
        env: { ...programEnvironment, ...settings },
      })
      let output = ''
      child.stdout?.on('data', (text) => (output += text))
      await once(child, 'close')
      const { checks } = JSON.parse(output) as DoctorReport
      return (id: string) => checks.find((check) => check.id === id) ?? assert.fail(id)
    },
    warnings: () => log().filter(({ level, reason }) => level === 40 && reason !== undefined),
    async [Symbol.asyncDispose]() {
      visit.destroy()
      await masthead.stop()
    },
  }
}

test('an operator learns everywhere that the CA refuses the account', async () => {
  const detail = 'The account is deactivated'
  await using ca = await startRefusingCa(403, 'unauthorized', detail)
  await using server = await startServer(ca.directoryUrl)
  await until(() => server.warnings().length > 0)
  const [line] = server.warnings()
  assert.match(line?.msg ?? '', /refuses the account of this server, .*MASTHEAD_CA\.$/)
  assert.match(line?.reason ?? '', /The account is deactivated/)

  await until(async () => !(await server.certificates()).ok)
  const { message } = await server.certificates()
  assert.match(message, /refuses the account .* masthead\.example cannot get a certificate\. .*deactivated/)
  await until(async () =>
    /^masthead_certificates_failing\{cause="authority"\} 1$/m.test(await server.metrics()),
  )

  const check = await server.examine()
  const { status, findings } = check('ca')
  assert.equal(status, 'problem')
  assert.match(findings[0]?.message ?? '', /refuses the account .*deactivated/)
  for (const id of ['ports', 'edge']) {
    const [finding, ...more] = check(id).findings
    assert.match(
      finding?.message ?? '',
      /^This server answers at .*, but has no certificate for masthead\.example yet\. .*deactivated/,
    )
    assert.deepEqual(more, [])
  }
  assert.equal(server.warnings().length, 1)
})

test('an operator learns that the CA limits orders or fails, and is not told that it is fine', async () => {
  for (const [status, type, said] of [
    [429, 'rateLimited', /limits how often this server may order/],
    [500, 'serverInternal', /a problem on its side/],
  ] as const) {
    await using ca = await startRefusingCa(status, type, 'not now')
    await using server = await startServer(ca.directoryUrl)
    await until(() => server.warnings().some(({ msg }) => said.test(msg)))
    await until(async () => said.test((await server.certificates()).message))
    const { status: found, findings } = (await server.examine())('ca')
    assert.equal(found, 'warning')
    assert.match(findings[0]?.message ?? '', said)
  }
})
