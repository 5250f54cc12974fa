import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLoginCode } from './login-code.ts'

test('a code is accepted however it was typed', () => {
  for (const typed of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BcDf - GhJk']) {
    assert.equal(readLoginCode(typed), 'BCDF-GHJK', typed)
  }
})

test('anything else is not a code', () => {
  for (const typed of ['', 'BCDF', 'BCDF-GHJKL', 'BCDF-GHJ1', '../../keys']) {
    assert.equal(readLoginCode(typed), null, typed)
  }
})
