import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closestMatch } from './closest-match.ts'

const words = ['deploy', 'deployments', 'projects', 'keys', 'login', 'logout']

test('a slip of the finger finds the word that was meant', () => {
  for (const [typed, meant] of [
    ['depoly', 'deploy'],
    ['deploi', 'deploy'],
    ['Deploy', 'deploy'],
    ['deploymnts', 'deployments'],
    ['proj', 'projects'],
    ['key', 'keys'],
    ['logn', 'login'],
  ] as const) {
    assert.equal(closestMatch(typed, words), meant, typed)
  }
})

test('a word of another kind finds nothing', () => {
  for (const typed of ['x', 'publish', 'serve', '']) assert.equal(closestMatch(typed, words), null, typed)
})
