import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { problems } from '@masthead/contract/problems.ts'
import { brokenServer } from '../../test/broken-server.ts'
import { runMasthead } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

// What only a server on your own machine has: DNS for names under .localhost, and a certificate authority.
const server = serverForFile()
const publicServer = serverForFile({
  env: async () => ({
    MASTHEAD_LAB_PORT: 'off',
    MASTHEAD_CA: 'https://127.0.0.1:1/directory',
    MASTHEAD_HTTPS_REDIRECT: 'off',
  }),
})
const workplace = () => createWorkplace(server())
const target = 'k3v9x2m1qp.cname.masthead.localhost'

test('a record is set as it was written, and shown as the server keeps it', async () => {
  await using place = await workplace()
  const { exitCode, stdout, stderr } = await place.run(`lab set www.acme.localhost cname ${target}`)
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `www.acme.localhost  CNAME  ${target}  TTL 60\n`)
  const asJson = await place.run('lab set acme.localhost A 127.0.0.1 127.0.0.2 --ttl 5 --json')
  assert.deepEqual(JSON.parse(asJson.stdout).values, ['127.0.0.1', '127.0.0.2'])
  assert.deepEqual((await place.client.listLabRecords()).items, [
    { name: 'acme.localhost', type: 'A', values: ['127.0.0.1', '127.0.0.2'], ttl: 5 },
    { name: 'www.acme.localhost', type: 'CNAME', values: [target], ttl: 60 },
  ])
})

test('a CAA record is understood with quotes and without', async () => {
  await using place = await workplace()
  const words = ['lab', 'set', 'acme.localhost', 'CAA']
  const kept = []
  for (const values of [
    ['0 issue "a.example"', '0 issue "b.example"'],
    ['0', 'issue', 'a.example'],
  ]) {
    const { exitCode, stderr } = await runMasthead([...words, ...values], {
      cwd: place.path,
      env: place.signedIn,
    })
    assert.equal(exitCode, 0, stderr)
    kept.push((await place.client.listLabRecords()).items[0]?.values)
  }
  assert.deepEqual(kept, [['0 issue "a.example"', '0 issue "b.example"'], ['0 issue "a.example"']])
})

test('the records are listed, a line for each value', async () => {
  await using place = await workplace()
  const set = (name: string, type: 'A' | 'CNAME', values: string[], ttl: number) =>
    place.client.setLabRecord({ params: { name, type }, body: { values, ttl } })
  await set('acme.localhost', 'A', ['127.0.0.1', '127.0.0.2'], 60)
  await set('www.acme.localhost', 'CNAME', [target], 5)
  const { exitCode, stdout } = await place.run('lab')
  assert.equal(exitCode, 0)
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/)),
    [
      ['acme.localhost', 'A', '127.0.0.1', 'TTL', '60'],
      ['acme.localhost', 'A', '127.0.0.2', 'TTL', '60'],
      ['www.acme.localhost', 'CNAME', target, 'TTL', '5'],
    ],
  )
  const { items } = await place.client.listLabRecords()
  assert.deepEqual(JSON.parse((await place.run('lab --json')).stdout), items)
})

test('a record is removed by its name and type', async () => {
  await using place = await workplace()
  const params = { name: 'www.acme.localhost', type: 'CNAME' } as const
  await place.client.setLabRecord({ params, body: { values: [target] } })
  const { exitCode, stdout, stderr } = await place.run('lab remove www.acme.localhost cname')
  assert.deepEqual([exitCode, stdout, stderr], [0, '', 'Removed the CNAME record of www.acme.localhost.\n'])
  assert.deepEqual((await place.client.listLabRecords()).items, [])
  const gone = await place.run('lab remove gone.localhost A')
  assert.equal(gone.exitCode, 1)
  assert.equal(
    gone.stderr,
    'The lab has no A record at gone.localhost.\nRun `masthead lab` to list the records.\n',
  )
})

test('a server without a lab says so, and a refused record says why', async () => {
  await using without = await createWorkplace(publicServer())
  const off = await without.run('lab')
  assert.equal(off.exitCode, 1)
  assert.match(off.stderr, /^The DNS lab is off on this server/)
  assert.ok(off.stderr.endsWith(`\n${problems.lab_off.fix}\n`), off.stderr)
  await using place = await workplace()
  const refused = await place.run('lab set www.acme.com A 127.0.0.1')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /^.*\nname: must .*\.localhost/)
})

test('wrong words after lab are explained', async () => {
  await using place = await workplace()
  const fixes = []
  for (const words of [
    'sett',
    'set www.acme.localhost CNAME',
    'set www.acme.localhost MX mail.acme.localhost',
    'set www.acme.localhost A 127.0.0.1 --ttl soon',
    'remove www.acme.localhost',
    'remove www.acme.localhost A 127.0.0.1',
    'set .. A 127.0.0.1',
    'remove .. A',
    'list www.acme.localhost',
    '--ttl 5',
    'remove www.acme.localhost A --ttl 5',
  ]) {
    const { exitCode, stderr } = await place.run(`lab ${words}`)
    assert.equal(exitCode, 2)
    fixes.push(stderr.trim().split('\n')[1])
  }
  assert.deepEqual(fixes, [
    'Did you mean `masthead lab set`?',
    'Use `masthead lab set NAME TYPE VALUE…`.',
    'Supported types: A, AAAA, CNAME, ALIAS, TXT, CAA.',
    'Use a number from 0 to 86400.',
    'Use `masthead lab remove NAME TYPE`.',
    'Use `masthead lab remove NAME TYPE`.',
    'Use a domain such as www.acme.localhost.',
    'Use a domain such as www.acme.localhost.',
    'Use `masthead lab list`.',
    'See `masthead lab --help`.',
    'See `masthead lab --help`.',
  ])
  assert.deepEqual(place.proxy.called, [])
})

const rootOf = async () => new X509Certificate(await server().account.client.getCaRoot()).toString()

test('the root alone goes to standard output, and how to have it trusted beside it', async () => {
  await using place = await workplace()
  const { exitCode, stdout, stderr } = await place.run('ca', { env: place.signedOut })
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, await rootOf())
  assert.match(stderr, /^SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}$/m)
  for (const way of ['macOS', 'Debian', 'Windows', 'Firefox']) assert.ok(stderr.includes(way), way)
  assert.doesNotMatch(stderr, /plain HTTP/)
})

test('the root is saved where it is asked for', async () => {
  await using place = await workplace()
  const { exitCode, stdout, stderr } = await place.run('ca --output root.pem')
  assert.deepEqual([exitCode, stdout], [0, 'root.pem\n'])
  assert.match(stderr, /trustRoot .* root\.pem$/m)
  assert.equal(await readFile(join(place.path, 'root.pem'), 'utf8'), await rootOf())
  const refused = await place.run('ca --output missing/root.pem')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /could not be saved as .*missing.*ENOENT/)
})

test('with --json programs get the root with its fingerprint and its end', async () => {
  await using place = await workplace()
  const { stdout, stderr } = await place.run('ca --json')
  const { certificate, fingerprint, expiresAt } = JSON.parse(stdout)
  assert.deepEqual([certificate, stderr], [await rootOf(), ''])
  assert.match(fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  assert.ok(Date.parse(expiresAt) > 0)
})

test('only the certificate is taken from what a server sends along with it', async () => {
  await using place = await workplace()
  const pem = await rootOf()
  await using broken = await brokenServer({
    type: 'application/x-pem-file',
    body: `\x1b]0;hello\x07\n${pem}`,
  })
  const { exitCode, stdout, stderr } = await place.run(`ca --server ${broken.url}`)
  assert.deepEqual([exitCode, stdout], [0, pem], stderr)
})

test('a server without a CA of its own, and one that answers something else, are told in words', async () => {
  await using without = await createWorkplace(publicServer())
  const none = await without.run('ca')
  assert.equal(none.exitCode, 1)
  assert.match(none.stderr, /has no certificate authority of its own/)
  await using broken = await brokenServer({ type: 'application/x-pem-file', body: 'hello' })
  const strange = await without.run(`ca --server ${broken.url}`)
  assert.equal(strange.exitCode, 1)
  assert.match(strange.stderr, /not a certificate/)
})
