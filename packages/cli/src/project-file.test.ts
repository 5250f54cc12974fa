import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProjectFile } from './project-file.ts'

test('known members are read and others are left alone', () => {
  const text = '{ "$schema": 1, "project": "site", "folder": "dist", "server": "localhost" }'
  assert.deepEqual(parseProjectFile(text, 'm'), { project: 'site', folder: 'dist', server: 'localhost' })
  assert.deepEqual(parseProjectFile('{}', 'm'), {})
})

test('a file that cannot be used is named', () => {
  for (const text of ['', '{', '[]', 'null', '"site"']) {
    assert.throws(() => parseProjectFile(text, 'here/masthead.json'), {
      message: /^here\/masthead\.json does not/,
    })
  }
  for (const value of ['1', '""', 'null', '["a"]']) {
    assert.throws(() => parseProjectFile(`{ "folder": ${value} }`, 'm'), {
      message: '"folder" in m is not a text.',
    })
  }
})
