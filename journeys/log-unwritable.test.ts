import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess, withErrorsInOutput } from '@masthead/testing/masthead-process.ts'

const timeout = 300_000

/** The server can no longer store files, and logs that. */
async function failToPublish(masthead: MastheadProcess): Promise<void> {
  const publisher = await createPublisher(masthead)
  await publisher.createProject('failing')
  const staging = join(masthead.dataFolder, 'blobs', 'staging')
  await rename(staging, `${staging}-moved`)
  await assert.rejects(publisher.publishArchive('failing', tarGz({ 'index.html': 'never' })), /: 5\d\d /)
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
