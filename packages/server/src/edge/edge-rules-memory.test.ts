import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startEdge } from './edge.test-kit.ts'

const lines = (count: number, line: (id: string) => string) =>
  Array.from({ length: count }, (_, at) => line(String(at).padStart(4, '0'))).join('\n')

/** Rules of which few characters take much memory, of most sites and of each kind. */
const heavyRules: Record<string, { '/_redirects'?: string; '/_headers'?: string }> = {
  'long paths': { '/_redirects': lines(40, (id) => `/${id}${'/ab'.repeat(600)}/:x /t`) },
  'long paths of forced rules': { '/_redirects': lines(40, (id) => `/${id}${'/漢'.repeat(450)}/:x /t 301!`) },
  'long paths with *': { '/_redirects': lines(40, (id) => `/${id}*${'/a'.repeat(900)}/:x /t`) },
  'long paths without placeholders': { '/_redirects': lines(40, (id) => `/${id}${'/b'.repeat(900)} /t`) },
  placeholders: {
    '/_redirects': lines(100, (id) => `${lines(20, (name) => `/${id}/a:x${name}`).replaceAll('\n', '')} /t`),
  },
  hosts: { '/_redirects': lines(1_000, (id) => `https://h${id}.example/a /t 301!`) },
  'hosts with placeholders': { '/_redirects': lines(500, (id) => `https://:x.h${id}.example/a /t`) },
  'many paths': { '/_redirects': lines(2_500, (id) => `/${id} /`) },
  targets: { '/_redirects': lines(40, (id) => `/${id}/:x /漢${':x/漢/'.repeat(280)}`) },
  conditions: { '/_redirects': lines(40, (id) => `/${id} ${'a=b '.repeat(450)} /t`) },
  'headers of long paths': { '/_headers': lines(60, (id) => `/${id}${'/a'.repeat(450)}/:x\n A: b`) },
  'headers with placeholders': { '/_headers': lines(60, (id) => `/:x/${id}\n A: ${':x '.repeat(300)}`) },
}

/** What the process may take for something else meanwhile, such as compiled code. */
const otherBytes = 1024 ** 2

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

for (const [kind, rules] of Object.entries(heavyRules)) {
  test(`sites with ${kind} take no more memory than the edge may use for sites`, async () => {
    const maxSiteBytes = 4 * 1024 ** 2
    await using edge = await startEdge({}, 'both', { maxSiteBytes })
    const hosts = Array.from({ length: 24 }, (_, at) => `heavy${at}`)
    const first = await edge.publish('heavy', { '/index.html': 'front', ...rules })
    for (const slug of hosts) {
      edge.sites.set(slug, { ...first, record: { ...first.record, slug, projectId: `prj_${slug}` } })
    }
    const visit = async (host: string) => (await edge.ask('/', { host: `${host}.masthead.localhost` })).status
    await edge.publish('light', { '/index.html': 'front' })
    assert.equal(await visit('light'), 200)
    const before = heapUsed()
    for (const host of hosts) assert.equal(await visit(host), 200)
    const taken = heapUsed() - before
    assert.ok(taken < maxSiteBytes + otherBytes, `${taken} bytes`)
    assert.ok(edge.calls.find > hosts.length)
    const { find } = edge.calls
    await visit(hosts.at(-1) ?? '')
    assert.equal(edge.calls.find, find)
  })
}

const common = `/*\n${lines(600, (id) => ` A${id}: b`)}\n`

/** Sites of which each of 300 paths has other headers. */
const manyHeaders: Record<string, { headers: string; pathOf: (id: string) => string }> = {
  'many headers for paths of their own': {
    headers: common + lines(300, (id) => `/${id}\n B: c`),
    pathOf: (id) => `/${id}`,
  },
  'many headers with placeholders': { headers: `${common}/:id\n B: :id`, pathOf: (id) => `/f${id}` },
  'many headers for files of their own': {
    headers: common + lines(300, (id) => `/f${id}\n B: c`),
    pathOf: (id) => `/f${id}`,
  },
  'headers with long lists': {
    headers: lines(5, (at) => `/:any${at}\n B: c\n Vary: a${at}${'x'.repeat(8_000)}`),
    pathOf: (id) => `/f${id}`,
  },
}

for (const [kind, { headers, pathOf }] of Object.entries(manyHeaders)) {
  test(`a site with ${kind} takes no more memory than the edge may use for sites`, async () => {
    const maxSiteBytes = 8 * 1024 ** 2
    await using edge = await startEdge({}, 'both', { maxSiteBytes })
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`/f${String(at).padStart(4, '0')}`, 'f']),
    )
    await edge.publish(
      'hello',
      { '/404.html': 'x'.repeat(600), ...files, '/_headers': headers },
      { encoded: true },
    )
    await edge.exchange('GET / HTTP/1.1\r\nHost: hello.masthead.localhost\r\nConnection: close\r\n\r\n')
    const before = heapUsed()
    for (let at = 0; at < 300; at++) {
      const path = pathOf(String(at).padStart(4, '0'))
      for (const coding of ['gzip', 'identity']) {
        const answer = await edge.exchange(
          `GET ${path} HTTP/1.1\r\nHost: hello.masthead.localhost\r\nAccept-Encoding: ${coding}\r\nConnection: close\r\n\r\n`,
        )
        assert.match(answer, /^HTTP\/1\.1 (200|404) .*\r\nB: /s)
      }
    }
    const taken = heapUsed() - before
    assert.ok(taken < maxSiteBytes, `${taken} bytes`)
  })
}
