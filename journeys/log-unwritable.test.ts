import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess, withErrorsInOutput } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const timeout = 300_000

/** The server can no longer store files, and logs that. */
async function failToPublish(masthead: MastheadProcess): Promise<void> {
  const publisher = await createPublisher(masthead)
  await publisher.createProject('failing')
  const staging = join(masthead.dataFolder, 'blobs', 'staging')
  await rename(staging, `${staging}-moved`)
  await assert.rejects(publisher.publishArchive('failing', tarGz({ 'index.html': 'never' })), /: 5\d\d /)
}

/** A named pipe. `open` gives a descriptor of it. */
async function createPipe(t: TestContext) {
  const folder = await temporaryFolder('masthead-pipe')
  t.after(folder.remove)
  const path = join(folder.path, 'pipe')
  execFileSync('mkfifo', [path])
  return {
    path,
    open(flags: number): number {
      const descriptor = openSync(path, flags)
      t.after(() => closeSync(descriptor))
      return descriptor
    },
  }
}

function fill(pipe: number): void {
  const line = Buffer.from('filler\n')
  try {
    for (;;) writeSync(pipe, line)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
  }
}

for (const workers of ['1', '2']) {
  test(`a server whose log cannot be written serves and stops, with MASTHEAD_WORKERS=${workers}`, {
    timeout,
  }, async (t) => {
    const outputTo = openSync('/dev/full', 'w')
    t.after(() => closeSync(outputTo))
    await using masthead = await MastheadProcess.start({
      outputTo,
      under: withErrorsInOutput,
      env: { MASTHEAD_WORKERS: workers },
    })
    await failToPublish(masthead)
    assert.match((await visit(masthead, 'hello', '/')).body, /<html/)
    masthead.signal('SIGTERM')
    assert.equal(await masthead.ended(), 0)
  })
}

test('a server whose log nobody reads serves and stops', { timeout }, async (t) => {
  const pipe = await createPipe(t)
  fill(pipe.open(constants.O_RDWR | constants.O_NONBLOCK))
  await using masthead = await MastheadProcess.start({ outputTo: pipe.open(constants.O_WRONLY) })
  await failToPublish(masthead)
  assert.match((await visit(masthead, 'hello', '/')).body, /<html/)
  masthead.signal('SIGTERM')
  assert.equal(await masthead.ended(), 0)
})

test('a server whose log is no longer read says so, and goes on for the next reader', {
  timeout,
}, async (t) => {
  const pipe = await createPipe(t)
  const firstReader = openSync(pipe.path, constants.O_RDONLY | constants.O_NONBLOCK)
  await using masthead = await MastheadProcess.start({ outputTo: pipe.open(constants.O_WRONLY) })
  closeSync(firstReader)
  await failToPublish(masthead)
  await until(() => masthead.output.includes('Standard output: EPIPE'))
  let log = ''
  const nextReader = createReadStream(pipe.path, 'utf8').on('data', (text) => {
    log += text
  })
  t.after(() => nextReader.destroy())
  await until(() => log.includes('a request failed'))
})
