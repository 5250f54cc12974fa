import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
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

test('a terminal that Ctrl-S has stopped does not keep the process from ending', {
  skip: process.platform === 'linux' ? false : 'needs `script` of util-linux',
  timeout: 60_000,
}, async (t) => {
  const program = `
    import { openStandardOutput } from ${JSON.stringify(import.meta.resolve('./log-output.ts'))}
    const output = openStandardOutput(() => {})
    process.stdin.once('data', () => {
      output.write('last')
      process.exit()
    })
    output.write('ready')
  `
  const command = `exec '${process.execPath}' --input-type=module --eval "$PROGRAM"`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PROGRAM: program },
  })
  t.after(() => child.kill())
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  await until(() => text.includes('ready'))
  child.stdin.write('\x13end\n')
  const [status] = await once(child, 'exit')
  assert.equal(status, 0)
  assert.doesNotMatch(text, /last/)
})
