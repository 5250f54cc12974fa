import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { packTar } from './pack-tar.ts'

test('the system tar lists and unpacks what was packed', () => {
  const files = [
    { name: 'a'.repeat(64), content: new TextEncoder().encode('first') },
    { name: 'empty', content: new Uint8Array(0) },
    { name: 'block', content: new Uint8Array(512).fill(120) },
  ]
  const input = packTar(files)
  const listed = execFileSync('tar', ['-tf', '-'], { input, encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(
    listed,
    files.map(({ name }) => name),
  )
  for (const { name, content } of files) {
    assert.deepEqual(execFileSync('tar', ['-xOf', '-', name], { input }), Buffer.from(content))
  }
})

test('a name that does not fit is refused, not cut', () => {
  assert.throws(() => packTar([{ name: 'x'.repeat(101), content: new Uint8Array(1) }]), RangeError)
})
