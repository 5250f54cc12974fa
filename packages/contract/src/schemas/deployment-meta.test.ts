import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deploymentSource, deploymentTitle } from '../deployments.ts'
import { type MetaInput, metaInput, toMeta } from './deployment-meta.ts'

test('metadata is kept as sent, without empty values and outer spaces', () => {
  const given = {
    message: ' Fix the header\n\nIt was 1 px off. <b>ünïcode</b> ',
    commit: '8f14e45fceea167a5a36dedd4bea2543c1c1a3f0',
    branch: 'feature/Login_2',
    repository: 'acme/site',
    author: 'Ada Lovelace',
    url: 'https://git.example/acme/site/-/commit/8f14e45?x=1#y',
    pullRequest: '12',
  }
  const message = given.message.trim()
  assert.deepEqual(toMeta(metaInput.parse(given)), { ...given, message, pullRequest: 12 })
  const empty = Object.fromEntries(Object.keys(given).map((field) => [field, '']))
  assert.deepEqual(toMeta(metaInput.parse(empty)), {})
  assert.deepEqual(toMeta(metaInput.parse({ pullRequest: 7 })), { pullRequest: 7 })
  const repository = 'https://git.example/acme/site'
  assert.deepEqual(toMeta(metaInput.parse({ repository })), { repository })
})

test('metadata that could mislead, or is too long, is refused', () => {
  for (const given of [
    { message: 'a'.repeat(501) },
    { message: 'a\u0000b' },
    { message: '\u202egnp.exe' },
    { message: 'a\u001b[31mb' },
    { commit: 'a'.repeat(65) },
    { commit: '<b>' },
    { commit: '../x' },
    { branch: 'a b' },
    { branch: 'a\nb' },
    { branch: 'a'.repeat(256) },
    { author: 'a\nb' },
    { author: '\ud800' },
    { repository: 'javascript:alert(1)' },
    { repository: 'git@github.com:acme/site' },
    { repository: 'https://oauth2:secret@git.example/acme/site' },
    { url: 'javascript:alert(1)' },
    { url: 'JAVASCRIPT://x/%0aalert(1)' },
    { url: 'data:text/html,x' },
    { url: '//evil.example' },
    { url: 'ftp://git.example/' },
    { url: 'https://' },
    { url: 'https://user:secret@git.example/' },
    { url: `https://git.example/${'a'.repeat(1_000)}` },
    { pullRequest: 0 },
    { pullRequest: 1.5 },
    { pullRequest: '1e3' },
    { pullRequest: true },
    { pullRequest: '12345678901' },
    { other: 'x' },
  ]) {
    assert.equal(metaInput.safeParse(given).success, false, JSON.stringify(given))
  }
})

test('a deployment is called by its message, else by what is known', () => {
  const commit = '8f14e45fceea167a5a36dedd4bea2543c1c1a3f0'
  const cases: [MetaInput, string | null, string][] = [
    [{}, null, ''],
    [{ author: 'Ada' }, null, ''],
    [{ commit }, 'Commit 8f14e45', ''],
    [{ branch: 'x', commit }, 'x at 8f14e45', ''],
    [{ branch: 'x' }, 'x', ''],
    [{ branch: 'x', commit: 'r1234', pullRequest: 3 }, 'Pull request #3', 'x · r1234'],
    [
      { message: 'Fix\r\nmore', branch: 'x', commit, pullRequest: 3, author: 'Ada' },
      'Fix',
      'x · 8f14e45 · #3',
    ],
  ]
  for (const [given, title, source] of cases) {
    const meta = toMeta(given)
    assert.deepEqual([deploymentTitle(meta), deploymentSource(meta)], [title, source])
  }
})
