import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseServer } from './choose-server.ts'
import { isOnThisMachine } from './errors/on-this-machine.ts'

const none = {
  option: undefined,
  environment: undefined,
  projectFile: undefined,
  origin: null,
  last: undefined,
}

test('the most explicit source wins, and without any it is this machine', () => {
  const all = {
    option: 'a.example',
    environment: 'b.example',
    projectFile: 'c.example',
    origin: 'https://o.example',
    last: 'd.example',
  }
  assert.equal(chooseServer(all), 'https://a.example')
  assert.equal(chooseServer({ ...all, option: undefined }), 'https://b.example')
  assert.equal(chooseServer({ ...all, option: undefined, environment: '' }), 'https://c.example')
  assert.equal(chooseServer({ ...all, option: '', environment: '', projectFile: '' }), 'https://o.example')
  assert.equal(chooseServer({ ...none, last: 'd.example' }), 'https://d.example')
  assert.equal(chooseServer(none), 'http://localhost:8080')
})

test('addresses typed or pasted badly are understood', () => {
  for (const [typed, origin] of [
    ['localhost:9000', 'http://localhost:9000'],
    ['127.0.0.1:9000/', 'http://127.0.0.1:9000'],
    ['[::1]:9000', 'http://[::1]:9000'],
    ['app.localhost:9000', 'http://app.localhost:9000'],
    ['localhost.example', 'https://localhost.example'],
    [' HTTPS://Masthead.Example/v1/projects?x ', 'https://masthead.example'],
  ] as const) {
    assert.equal(chooseServer({ ...none, option: typed }), origin, typed)
  }
})

test('what is no address is refused with the name of its source', () => {
  for (const typed of ['ftp://x.example', 'http://', 'a b', 'file:///etc']) {
    assert.throws(
      () => chooseServer({ ...none, environment: typed }),
      { message: /^MASTHEAD_SERVER is "/ },
      typed,
    )
  }
})

test('only names and addresses that always mean this machine count as it', () => {
  const here = [
    'http://localhost:8080',
    'https://app.localhost',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ]
  const elsewhere = [
    'https://localhost.example',
    'http://10.0.0.1:8080',
    'http://[::2]',
    'https://127.example',
  ]
  assert.deepEqual(here.filter(isOnThisMachine), here)
  assert.deepEqual(elsewhere.filter(isOnThisMachine), [])
})
