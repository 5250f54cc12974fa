import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dnsProviders } from '@masthead/contract/domains/dns-providers.ts'
import { cdnOf, providers, providersOf } from './providers.ts'

test('a provider is recognized by its nameservers', () => {
  const known: [string[], string[]][] = [
    [['gina.ns.cloudflare.com', 'rob.ns.cloudflare.com'], ['Cloudflare']],
    [['ns-1536.awsdns-00.co.uk', 'ns-0.awsdns-00.com'], ['Amazon Route 53']],
    [['ns1-01.azure-dns.com'], ['Azure DNS']],
    [['ns51.domaincontrol.com'], ['GoDaddy']],
    [['dns1.registrar-servers.com'], ['Namecheap']],
    [['ns-12-a.gandi.net'], ['Gandi']],
    [['hydrogen.ns.hetzner.com', 'ns1.first-ns.de'], ['Hetzner']],
    [['ns1.vercel-dns.com'], ['Vercel']],
    [['ns.lab.localhost'], ['the lab']],
    [
      ['gina.ns.cloudflare.com', 'dns1.p01.nsone.net'],
      ['Cloudflare', 'NS1 or Netlify'],
    ],
    [['ns1.acme.com', 'resolver'], []],
    [['evilcloudflare.com', 'ns.cloudflare.com.evil.example', 'name.com.evil.example'], []],
    [[], []],
  ]
  for (const [nameservers, names] of known) {
    assert.deepEqual(
      providersOf(nameservers).map(({ name }) => name),
      names,
      nameservers.join(' '),
    )
  }
})

test('every provider with a guide is recognized by its nameservers', () => {
  assert.deepEqual(providers.map(({ name }) => name).toSorted(), Object.keys(dnsProviders).toSorted())
})

test("Cloudflare's proxy is recognized by its addresses, and nothing else is", () => {
  for (const address of [
    '104.16.0.1',
    '172.67.255.255',
    '188.114.97.3',
    '2606:4700:3037::6815:1',
    '2a06:98c7::1',
  ]) {
    assert.equal(cdnOf(address), 'cloudflare', address)
  }
  for (const address of [
    '1.1.1.1',
    '104.28.0.0',
    '192.0.2.7',
    '2606:4701::1',
    '2a06:98c8::1',
    '',
    'nonsense',
  ]) {
    assert.notEqual(cdnOf(address), 'cloudflare', address)
  }
})
