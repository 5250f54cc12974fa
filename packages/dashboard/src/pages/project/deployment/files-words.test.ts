import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesWords } from './files-words.ts'

const words = (shown: number, loaded: number, all: number) => filesWords({ shown, loaded, all, bytes: 2500 })

test('where all files are in sight, their number and size are told', () => {
  assert.equal(words(1200, 1200, 1200), '1,200 files, 2.5 kB in all')
  assert.equal(words(1, 1, 1), '1 file, 2.5 kB in all')
})

test('a list that goes on tells how far it is loaded', () => {
  assert.equal(words(100, 100, 1200), 'The first 100 of 1,200 files')
})

test('a filter tells what it looked at', () => {
  assert.equal(words(3, 20, 20), '3 of 20 files')
  assert.equal(words(0, 20, 20), 'None of 20 files')
  assert.equal(words(3, 100, 1200), '3 of the first 100 of 1,200 files')
})
