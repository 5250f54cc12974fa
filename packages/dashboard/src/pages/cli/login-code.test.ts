import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLoginCode } from './login-code.ts'

test('a code is understood however it was typed', () => {
  for (const typed of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BcDf - GhJk']) {
    assert.equal(readLoginCode(typed), 'BCDF-GHJK', typed)
  }
})

test('what cannot be a code is not taken for one', () => {
  for (const typed of ['', 'BCDF', 'BCDF-GHJKL', 'BCDF-GHJ1', '../../keys']) {
    assert.equal(readLoginCode(typed), null, typed)
  }
})
