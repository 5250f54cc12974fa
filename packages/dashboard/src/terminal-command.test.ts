import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalCommand } from './terminal-command.ts'

test('no flags are needed against a laptop with the default address', () => {
  assert.equal(
    terminalCommand('deploy ./some-folder', 'http://localhost:8080'),
    'npx masthead deploy ./some-folder',
  )
})

test('any other server is named', () => {
  assert.equal(
    terminalCommand('login', 'https://pages.acme.dev'),
    'npx masthead login --server https://pages.acme.dev',
  )
})
