import assert from 'node:assert/strict'
import { test } from 'node:test'
import { branchOf, namesSource } from './publisher.ts'

test('a trust decides what goes live if it names a branch, tags or an environment, also within the subject', () => {
  const subjects = {
    'repo:acme/website:ref:refs/heads/main': true,
    'repo:acme/website:environment:production': true,
    'project_path:acme/website:ref_type:branch:ref:main': true,
    'repo:acme/website:pull_request': false,
    'service-account': false,
  }
  for (const [sub, names] of Object.entries(subjects)) assert.equal(namesSource({ sub }), names, sub)
  const repository = 'acme/website'
  assert.equal(namesSource({ repository, ref_type: 'tag' }), true)
  for (const claims of [{ repository }, { repository, ref_type: 'branch' }, { repository, actor: 'ada' }]) {
    assert.equal(namesSource(claims), false, JSON.stringify(claims))
  }
})

test('a branch that no project can have is none', () => {
  for (const name of ['', 'a\0b', 'a\nb', 'x'.repeat(256)]) {
    assert.equal(branchOf({ ref: `refs/heads/${name}` }), '', JSON.stringify(name))
    assert.equal(branchOf({ ref: name, ref_type: 'branch' }), '', JSON.stringify(name))
  }
  assert.equal(branchOf({ ref: null }), '')
})
