import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runMasthead } from '../../test/run-masthead.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'

const target = 'k3v9x2m1qp.cname.masthead.localhost'

test('a record is set as it was written, and shown as the server keeps it', async () => {
  await using place = await workplace()
  const sent: unknown[] = []
  place.server.instead.setLabRecord = ({ params, json }) => {
    sent.push({ ...params, ...json })
    return { ...params, ttl: 60, ...json }
  }
  const { exitCode, stdout, stderr } = await place.run(`lab set www.acme.localhost cname ${target}`)
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `www.acme.localhost  CNAME  ${target}  TTL 60\n`)
  const asJson = await place.run('lab set acme.localhost A 127.0.0.1 127.0.0.2 --ttl 5 --json')
  assert.deepEqual(JSON.parse(asJson.stdout).values, ['127.0.0.1', '127.0.0.2'])
  assert.deepEqual(sent, [
    { name: 'www.acme.localhost', type: 'CNAME', values: [target] },
    { name: 'acme.localhost', type: 'A', values: ['127.0.0.1', '127.0.0.2'], ttl: 5 },
  ])
})

test('a CAA record is understood with quotes and without', async () => {
  await using place = await workplace()
  const sent: unknown[] = []
  place.server.instead.setLabRecord = ({ params, json }) => {
    sent.push(json.values)
    return { ...params, ttl: 60, ...json }
  }
  const env = { MASTHEAD_SERVER: place.server.url, MASTHEAD_KEY: place.server.key }
  const words = ['lab', 'set', 'acme.localhost', 'CAA']
  for (const values of [
    ['0 issue "a.example"', '0 issue "b.example"'],
    ['0', 'issue', 'a.example'],
  ]) {
    const { exitCode, stderr } = await runMasthead([...words, ...values], { cwd: place.path, env })
    assert.equal(exitCode, 0, stderr)
  }
  assert.deepEqual(sent, [['0 issue "a.example"', '0 issue "b.example"'], ['0 issue a.example']])
})

test('the records are listed, a line for each value', async () => {
  await using place = await workplace()
  const items = [
    { name: 'acme.localhost', type: 'A', values: ['127.0.0.1', '127.0.0.2'], ttl: 60 },
    { name: 'www.acme.localhost', type: 'CNAME', values: [target], ttl: 5 },
  ]
  place.server.instead.listLabRecords = () => ({ items, next: null })
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
  assert.deepEqual(JSON.parse((await place.run('lab --json')).stdout), items)
})

test('a record is removed by its name and type', async () => {
  await using place = await workplace()
  const removed: unknown[] = []
  place.server.instead.removeLabRecord = ({ params }) => void removed.push(params)
  const { exitCode, stdout, stderr } = await place.run('lab remove www.acme.localhost cname')
  assert.deepEqual([exitCode, stdout, stderr], [0, '', 'Removed the CNAME of www.acme.localhost.\n'])
  assert.deepEqual(removed, [{ name: 'www.acme.localhost', type: 'CNAME' }])
  place.server.instead.removeLabRecord = () => {
    throw new Refusal('not_found', 'The lab has no A record at gone.localhost.')
  }
  const gone = await place.run('lab remove gone.localhost A')
  assert.equal(gone.exitCode, 1)
  assert.equal(gone.stderr, 'The lab has no A record at gone.localhost.\n`masthead lab` lists the records.\n')
})

test('a server without a lab says so, and a refused record says why', async () => {
  await using place = await workplace()
  place.server.instead.listLabRecords = () => {
    throw new Refusal('lab_off', 'This server has no DNS of its own.')
  }
  const off = await place.run('lab')
  assert.equal(off.exitCode, 1)
  assert.match(off.stderr, /^This server has no DNS of its own\.\nThe lab runs only where/)
  place.server.instead.setLabRecord = () => {
    const errors = [{ path: 'name', message: 'must lie under .localhost' }]
    throw new Refusal('lab_record_invalid', 'The A record cannot be set.', { errors })
  }
  const refused = await place.run('lab set www.acme.com A 127.0.0.1')
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /^The A record cannot be set\.\nname: must lie under \.localhost\n/)
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
    'Write `masthead lab set NAME TYPE VALUE…`.',
    'Types are A, AAAA, CNAME, ALIAS, TXT, CAA.',
    'Give one from 0 to 86400.',
    'Write `masthead lab remove NAME TYPE`.',
    'Write `masthead lab remove NAME TYPE`.',
    'Give a name such as www.acme.localhost.',
    'Give a name such as www.acme.localhost.',
    'Write `masthead lab list`.',
    'See `masthead lab --help`.',
    'See `masthead lab --help`.',
  ])
  assert.deepEqual(place.server.asked, [])
})
