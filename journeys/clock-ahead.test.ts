import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const skip = skipWithout('faketime')

/** A server whose clock is ahead, and a webhook whose endpoint fails until the clock is right. */
async function failWhileAhead(by: string, correct: (masthead: MastheadProcess) => Promise<void>) {
  await using folder = await temporaryFolder()
  const clock = join(folder.path, 'clock')
  await writeFile(clock, by)
  const answers: number[] = []
  let status = 500
  const endpoint = createServer((_req, res) => {
    answers.push(status)
    res.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const { port } = endpoint.address() as AddressInfo
  try {
    await using masthead = await MastheadProcess.start({
      under: [
        'env',
        `LD_PRELOAD=${requirePeer('faketime')}`,
        `FAKETIME_TIMESTAMP_FILE=${clock}`,
        'FAKETIME_NO_CACHE=1',
        'FAKETIME_DONT_FAKE_MONOTONIC=1',
      ],
    })
    const { key } = await createPublisher(masthead)
    const added = await fetch(`${masthead.origin}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/` }),
    })
    assert.equal(added.status, 201)
    await until(() => answers.length > 1)
    await writeFile(clock, '+0')
    status = 204
    await correct(masthead)
    await until(() => answers.includes(204))
  } finally {
    endpoint.close()
  }
}

test(
  'a webhook that failed while the clock was a year ahead is tried again after a restart with a right one',
  { skip },
  () => failWhileAhead('+1y', (masthead) => masthead.restart('SIGKILL')),
)

test(
  'a webhook that failed while the clock was hours ahead is tried again once it is set back',
  { skip },
  () => failWhileAhead('+5h', async () => {}),
)
