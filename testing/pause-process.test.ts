import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pauseProcess } from './pause-process.ts'
import { killOnExit } from './supervised-process.ts'

const busyThreads = `
const { Worker } = require('node:worker_threads')
for (let index = 0; index < 4; index++) new Worker('for (;;);', { eval: true })
console.log('running')
`

test('no thread of a paused process runs until it is resumed', async () => {
  const { child, pid } = run(busyThreads)
  await once(child.stdout, 'data')
  for (let round = 0; round < 20; round++) {
    pauseProcess(pid)
    const before = processorTimeOf(pid)
    for (let look = 0; look < 20; look++) assert.equal(processorTimeOf(pid), before)
    process.kill(pid, 'SIGCONT')
    while (processorTimeOf(pid) === before) await new Promise(setImmediate)
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('a process that has ended is not waited for', async () => {
  const { child, pid } = run('process.stdin.resume()')
  child.kill('SIGKILL')
  pauseProcess(pid)
  await once(child, 'exit')
  pauseProcess(pid)
})

function run(program: string) {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  killOnExit(child)
  assert.ok(child.pid !== undefined)
  return { child, pid: child.pid }
}

/** In nanoseconds, of all threads. */
function processorTimeOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, time) => sum + time, 0)
}
