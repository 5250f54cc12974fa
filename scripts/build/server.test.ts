import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { buildServer, builtServer } from './server.ts'

test('the built server is in ASCII, of which V8 keeps a byte for each character', async () => {
  await buildServer()
  const folder = dirname(dirname(builtServer))
  const programs = globSync('**/*.js', { cwd: folder })
  assert.ok(programs.length > 5, `${programs.length} programs`)
  const others = programs.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(folder, file), 'utf8')))
  assert.deepEqual(others, [])
})
