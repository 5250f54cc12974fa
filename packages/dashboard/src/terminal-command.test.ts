import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalCommand } from './terminal-command.ts'

test('the default address needs no flag', () => {
  assert.equal(
    terminalCommand('deploy ./some-folder', 'http://localhost:8080'),
    'npx masthead deploy ./some-folder',
  )
})

test('any other server needs --server', () => {
  assert.equal(
    terminalCommand('login', 'https://pages.acme.dev'),
    'npx masthead login --server https://pages.acme.dev',
  )
})
