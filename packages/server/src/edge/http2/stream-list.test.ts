import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultPriority } from './priority.ts'
import { Stream } from './stream.ts'
import { StreamList } from './stream-list.ts'

const streamOf = (id: number) =>
  new Stream(id, 0, { priority: defaultPriority, isOpen: false, contentLength: null })

test('open streams are found by their id until they are over, in whatever order they end', () => {
  const open = new StreamList()
  const streams = [1, 3, 9, 11].map(streamOf)
  for (const stream of streams) open.add(stream)
  for (const id of [0, 2, 5, 13]) assert.equal(open.get(id), undefined)
  for (const stream of [streams[2], streams[0], streams[3], streams[1]] as Stream[]) {
    assert.equal(open.get(stream.id), stream)
    assert.ok(open.delete(stream))
    assert.equal(open.get(stream.id), undefined)
    assert.ok(!open.delete(stream))
  }
  assert.equal(open.size, 0)
})

test('streams may end while all of them are visited', () => {
  const open = new StreamList()
  for (const id of [1, 3, 5]) open.add(streamOf(id))
  const visited = open.all().map((stream) => {
    open.delete(stream)
    return stream.id
  })
  assert.deepEqual(visited, [1, 3, 5])
  assert.deepEqual(open.all(), [])
})
