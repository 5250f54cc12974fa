import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { AwsClient } from 'aws4fetch'
import { until } from '../until.ts'
import { skipWithout } from './peers.ts'
import { startSwift, strangersKey } from './swift.ts'

const skip = skipWithout('swift')

test('what is put into a bucket can be read, listed and deleted', { skip }, async () => {
  await using swift = await startSwift()
  const bucket = await swift.createBucket()
  assert.equal((await swift.request('PUT', `${bucket}/folder/a`, 'content')).status, 200)
  assert.equal(await (await swift.request('GET', `${bucket}/folder/a`)).text(), 'content')
  const list = await swift.request('GET', `${bucket}?list-type=2&prefix=folder/`)
  assert.match(await list.text(), /<Key>folder\/a<\/Key>/)
  assert.equal((await swift.request('DELETE', `${bucket}/folder/a`)).status, 204)
  assert.equal((await swift.request('GET', `${bucket}/folder/a`)).status, 404)

  const stranger = new AwsClient({ ...strangersKey, service: 's3', region: swift.region, retries: 0 })
  assert.equal((await stranger.fetch(`${swift.endpoint}/${bucket}?list-type=2`)).status, 403)
})

test('two run side by side, and one goes on without the other', { skip }, async () => {
  await using stays = await startSwift()
  const bucket = await stays.createBucket()
  {
    await using goes = await startSwift()
    await goes.createBucket(bucket)
    await goes.request('PUT', `${bucket}/a`, 'theirs')
  }
  assert.equal((await stays.request('GET', `${bucket}/a`)).status, 404)
})

test('a stopped server is gone, and comes back with what it stored', { skip }, async () => {
  await using swift = await startSwift()
  const bucket = await swift.createBucket()
  await swift.request('PUT', `${bucket}/a`, 'content')
  swift.pause()
  await swift.stop()
  await assert.rejects(swift.request('GET', `${bucket}/a`))
  await swift.start()
  assert.equal(await (await swift.request('GET', `${bucket}/a`)).text(), 'content')
})

test('a paused server says nothing, and then answers', { skip }, async () => {
  await using swift = await startSwift()
  const bucket = await swift.createBucket()
  swift.pause()
  let answered = false
  const response = swift.request('PUT', `${bucket}/a`, 'content').finally(() => {
    answered = true
  })
  await assert.rejects(
    until(() => answered, { atMostMs: 300 }),
    /Not true/,
  )
  swift.resume()
  assert.equal((await response).status, 200)
})

test('a killed process leaves no server behind', { skip }, async () => {
  const program = `
    import { startSwift } from ${JSON.stringify(import.meta.resolve('./swift.ts'))}
    console.log((await startSwift()).endpoint)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
  const answers = () =>
    fetch(line.trim()).then(
      () => true,
      () => false,
    )
  assert.equal(await answers(), true)
  owner.kill('SIGKILL')
  await until(async () => !(await answers()))
})
