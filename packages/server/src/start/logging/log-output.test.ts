import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { LogOutput } from './log-output.ts'

test('lines wait for a slow reader, and a report is where others are missing', async (t) => {
  const folder = await temporaryFolder('masthead-log')
  t.after(folder.remove)
  const path = join(folder.path, 'fifo')
  execFileSync('mkfifo', [path])
  const fifo = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  t.after(() => closeSync(fifo))
  const output = new LogOutput(fifo, (lost) => output.write(`${lost} lost\n`), assert.fail)
  const chunk = Buffer.alloc(65_536)
  let text = ''
  const read = () => {
    try {
      text += chunk.toString('utf8', 0, readSync(fifo, chunk))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
    }
    return text
  }

  const written = 5_000
  for (let line = 0; line < written; line++) output.write(`${line} ${'é'.repeat(500)}\n`)
  const { lostLines } = output
  assert.ok(lostLines > 0)
  await until(() => read().endsWith('lost\n'), { everyMs: 1 })
  output.write('next\n')
  await until(() => read().endsWith('next\n'))

  const numbers = text.split('\n').map((line) => line.split(' ')[0])
  const kept = Array.from({ length: written - lostLines }, (_, line) => `${line}`)
  assert.deepEqual(numbers, [...kept, `${lostLines}`, 'next', ''])
})
