import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openFilesLimit, openFilesWarning, shareDescriptors } from './file-descriptors.ts'

test('the limit of this process is the one the shell has set', async () => {
  assert.ok(openFilesLimit() > 0)
  const file = join(import.meta.dirname, 'file-descriptors.ts')
  const program = `import { openFilesLimit } from ${JSON.stringify(file)}; console.log(openFilesLimit())`
  const command = 'ulimit -n 300; exec "$@"'
  const arguments_ = ['-c', command, 'sh', process.execPath, '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)('sh', arguments_)
  assert.equal(stdout.trim(), '300')
})

for (const limit of [64, 256, 1_024, 4_096, 20_000, 65_536, 1_048_576]) {
  for (const processes of [1, 2, 4, 16, 128]) {
    test(`of ${limit} descriptors some remain when ${processes} processes use their shares`, () => {
      const { connectionsPerPort, files, forwarded } = shareDescriptors(limit, processes)
      for (const share of [connectionsPerPort, files, forwarded]) assert.ok(share >= 1)
      if (limit < 256) return
      const byEdge = 2 * connectionsPerPort + files + (processes > 1 ? forwarded : 0)
      assert.ok(byEdge + 64 <= limit, `${byEdge} by an edge`)
      if (processes > 1) assert.ok(processes * forwarded + 64 <= limit, 'by the main process')
    })
  }
}

test('a low limit causes a warning with its consequences', () => {
  assert.match(openFilesWarning(1_024)?.message ?? '', /only 1024 .* 336 connections on each port/)
  assert.equal(openFilesWarning(65_536), null)
})

test('a usual limit restricts nothing', () => {
  assert.deepEqual(shareDescriptors(1_048_576), { connectionsPerPort: 20_000, files: 2_048, forwarded: 1 })
})
