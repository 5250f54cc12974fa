import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { workplaceWithSite } from '../../test/workplace.ts'

const server = serverForFile()

test('a domain is marked as behind a proxy, with what to set and what is checked, and unmarked again', async () => {
  await using place = await workplaceWithSite(server())
  const added = await place.run('domains add www.proxied.localhost --json')
  const [{ value: target }] = JSON.parse(added.stdout).records
  for (const [line, says] of [
    ['', /The proxy or CDN is missing\.[\s\S]*--provider cloudflare/],
    [' --provider akamai', /There is no provider akamai\./],
    [' --provider fastly --off', /--off and --provider exclude each other\./],
  ] as const) {
    const refused = await place.run(`domains proxied www.proxied.localhost${line}`)
    assert.equal(refused.exitCode, 2, line)
    assert.match(refused.stderr, says)
  }

  const marked = await place.run('domains proxied WWW.proxied.localhost. --provider fastly')
  assert.equal(marked.exitCode, 0, marked.stderr)
  assert.match(marked.stderr, /www\.proxied\.localhost is marked as behind Fastly\./)
  assert.match(marked.stdout, /Behind a proxy: Fastly\n/)
  assert.ok(marked.stdout.includes(target), marked.stdout)
  assert.match(marked.stdout, /TXT +_masthead-challenge\.www +\S+ +3600/)
  assert.match(marked.stdout, /We check:\n[\s\S]*We cannot see:\n[\s\S]*which of your files the proxy caches/)
  assert.match(marked.stdout, /through the proxy \(HTTP-01\)/)

  const shown = await place.run('domains show www.proxied.localhost')
  assert.match(shown.stdout, /Behind a proxy: Fastly\n/)
  const timeline = await place.run('domains timeline www.proxied.localhost')
  assert.match(timeline.stdout, /The domain was marked as behind a proxy or CDN: by fastly/)

  const off = await place.run('domains proxied www.proxied.localhost --off')
  assert.match(off.stderr, /www\.proxied\.localhost is not behind a proxy\. Its own record has to be in DNS/)
  const after = await place.run('domains show www.proxied.localhost --json')
  assert.equal(JSON.parse(after.stdout).proxied, null)
})
