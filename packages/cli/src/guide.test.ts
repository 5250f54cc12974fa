import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { commands } from './commands.ts'
import { exitCodes } from './errors/command-error.ts'

const guide = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8')

test('the guide has a section for every command, and for no other', () => {
  const sections = [...guide.matchAll(/^### `masthead (\w+)/gm)].map(([, name]) => name)
  assert.deepEqual(
    sections,
    commands.map(({ name }) => name),
  )
})

test('the guide shows the exit codes as they are', () => {
  const rows = [...guide.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => ({
    code: Number(code),
    meaning,
  }))
  assert.deepEqual(rows, Object.values(exitCodes))
})
