import assert from 'node:assert/strict'
import { test } from 'node:test'
import { terminalCommand } from './terminal-command.ts'

const origin = 'https://pages.acme.dev'

test('the package of the server knows its server', () => {
  const url = `${origin}/cli/masthead-0.1.0-abcdef01.tgz`
  assert.equal(terminalCommand('deploy ./dist', url, origin), `npx ${url} deploy ./dist`)
})

test('a checkout has to be told', () => {
  assert.equal(terminalCommand('login', undefined, origin), `npx masthead login --server ${origin}`)
})
