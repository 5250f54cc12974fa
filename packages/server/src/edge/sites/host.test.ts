import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyHost, type HostRoute, labelOf } from './host.ts'

const names = {
  platformDomain: 'masthead.localhost',
  dashboardHost: 'localhost',
  listenerAddresses: ['127.0.0.1', '::1'],
}

const routes: [host: string | undefined, route: HostRoute][] = [
  ['localhost', { kind: 'dashboard' }],
  ['localhost:8080', { kind: 'dashboard' }],
  ['127.0.0.1:8080', { kind: 'dashboard' }],
  ['[::1]:8080', { kind: 'dashboard' }],
  ['[::1]', { kind: 'dashboard' }],
  ['masthead.localhost', { kind: 'platform' }],
  ['MASTHEAD.localhost.:8080', { kind: 'platform' }],
  ['hello.masthead.localhost', { kind: 'project', slug: 'hello' }],
  ['Hello.Masthead.LOCALHOST.:80', { kind: 'project', slug: 'hello' }],
  ['my-site.masthead.localhost:', { kind: 'project', slug: 'my-site' }],
  ['01jabc--my-site.masthead.localhost', { kind: 'preview', deployment: '01jabc', slug: 'my-site' }],
  ['a--b--c.masthead.localhost', { kind: 'preview', deployment: 'a', slug: 'b--c' }],
  ['--b.masthead.localhost', { kind: 'unknown', hostname: '--b.masthead.localhost' }],
  ['a--.masthead.localhost', { kind: 'unknown', hostname: 'a--.masthead.localhost' }],
  ['a.b.masthead.localhost', { kind: 'unknown', hostname: 'a.b.masthead.localhost' }],
  ['under_score.masthead.localhost', { kind: 'unknown', hostname: 'under_score.masthead.localhost' }],
  ['evilmasthead.localhost', { kind: 'domain', hostname: 'evilmasthead.localhost' }],
  ['WWW.Example.com.:443', { kind: 'domain', hostname: 'www.example.com' }],
  ['xn--bcher-kva.xn--p1ai', { kind: 'domain', hostname: 'xn--bcher-kva.xn--p1ai' }],
  [`${'a'.repeat(63)}.com`, { kind: 'domain', hostname: `${'a'.repeat(63)}.com` }],
  [`${'a'.repeat(64)}.com`, { kind: 'unknown', hostname: `${'a'.repeat(64)}.com` }],
  [`${'a.'.repeat(125)}com`, { kind: 'domain', hostname: `${'a.'.repeat(125)}com` }],
  [`${'a.'.repeat(125)}info`, { kind: 'invalid' }],
  ['acme', { kind: 'unknown', hostname: 'acme' }],
  ['com.', { kind: 'unknown', hostname: 'com' }],
  ['-a.example.com', { kind: 'unknown', hostname: '-a.example.com' }],
  ['a-.example.com', { kind: 'unknown', hostname: 'a-.example.com' }],
  ['under_score.example.com', { kind: 'unknown', hostname: 'under_score.example.com' }],
  ['example.123', { kind: 'unknown', hostname: 'example.123' }],
  ['127.0.0.2', { kind: 'unknown', hostname: '127.0.0.2' }],
  ['[::2]', { kind: 'unknown', hostname: '::2' }],
  [undefined, { kind: 'invalid' }],
  ['', { kind: 'invalid' }],
  ['.', { kind: 'invalid' }],
  [':80', { kind: 'invalid' }],
  ['a..b', { kind: 'invalid' }],
  ['hello.masthead.localhost..', { kind: 'invalid' }],
  ['hello.masthead.localhost:80:80', { kind: 'invalid' }],
  ['hello.masthead.localhost/path', { kind: 'invalid' }],
  ['user@hello.masthead.localhost', { kind: 'invalid' }],
  ['<script>', { kind: 'invalid' }],
  ['a b', { kind: 'invalid' }],
]

for (const [host, route] of routes) {
  test(`the host ${JSON.stringify(host)?.slice(0, 50)} is ${route.kind}`, () => {
    assert.deepEqual(classifyHost(host, names), route)
  })
}

test('the dashboard may be under the platform domain', () => {
  const inside = { ...names, dashboardHost: 'app.masthead.localhost' }
  assert.deepEqual(classifyHost('app.masthead.localhost', inside), { kind: 'dashboard' })
  assert.deepEqual(classifyHost('localhost', inside), { kind: 'unknown', hostname: 'localhost' })
})

test('labels and site targets convert both ways', () => {
  for (const [, route] of routes) {
    if (route.kind !== 'project' && route.kind !== 'preview') continue
    assert.deepEqual(classifyHost(`${labelOf(route)}.masthead.localhost`, names), route)
  }
})
