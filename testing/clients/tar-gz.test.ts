import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../temporary-folder.ts'
import { tarGz } from './tar-gz.ts'

test('tar unpacks what was packed', async () => {
  await using folder = await temporaryFolder()
  const files = { 'index.html': 'home', 'empty.txt': '', 'exact.txt': 'x'.repeat(512) }
  const archive = join(folder.path, 'site.tar.gz')
  await writeFile(archive, tarGz(files))
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder.path])
  for (const [name, content] of Object.entries(files)) {
    assert.equal(await readFile(join(folder.path, name), 'utf8'), content)
  }
})
