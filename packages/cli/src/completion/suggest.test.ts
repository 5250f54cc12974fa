import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '../commands.ts'
import { suggest } from './suggest.ts'

const words = (...typed: string[]) => suggest(typed, commands).words
const kind = (...typed: string[]) => suggest(typed, commands).known

test('commands, verbs and options are suggested by what they start with', () => {
  assert.deepEqual(words('dep'), ['deploy', 'deployments'])
  assert.ok(words('').includes('help') && words().includes('projects'))
  assert.deepEqual(words('projects', ''), ['create', 'rename', 'delete'])
  assert.deepEqual(words('domains', 're'), ['reverify', 'remove', 'records', 'redirect'])
  assert.deepEqual(words('deploy', '--no-a'), ['--no-activate'])
  assert.deepEqual(words('--quiet', 'who'), ['whoami'])
  assert.deepEqual(words('--server', 'https://a.example', 'who'), ['whoami'])
  assert.deepEqual(words('nonsense', ''), [])
  assert.deepEqual(words('domains', 'add', ''), [])
})

test('projects and domains are asked for where one is needed', () => {
  for (const typed of [
    ['open', ''],
    ['deployments', ''],
    ['projects', 'delete', 'm'],
    ['deploy', './dist', '--project', ''],
    ['-q', 'link', ''],
  ]) {
    assert.equal(kind(...typed), 'project', typed.join(' '))
  }
  assert.equal(kind('domains', 'verify', 'www'), 'domain')
  assert.equal(kind('domains', 'verify', 'www.acme.com', ''), null)
  assert.equal(kind('open', 'my-site', ''), null)
})

test('folders and files are left to the shell', () => {
  for (const typed of [
    ['deploy', ''],
    ['rules', 'check', './d'],
    ['ca', '--output', ''],
    ['api', 'PUT', '/v1/x', '--input', ''],
  ]) {
    assert.equal(suggest(typed, commands).files, true, typed.join(' '))
  }
})
