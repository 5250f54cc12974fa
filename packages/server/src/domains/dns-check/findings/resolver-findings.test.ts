import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bySearch, found, server, silent } from '../judge.test-kit.ts'

test('when only resolvers could be reached, no fix mentions nameservers that answered or the registrar', () => {
  const some = [
    bySearch(server('resolver', ['A 203.0.113.1'])),
    bySearch(server('resolver', [], { negativeTtl: 60 })),
  ]
  for (const { findings } of some) {
    for (const { fix } of findings) assert.doesNotMatch(fix, /The others answered|registrar|isn't affected/)
  }
  const [wrong] = some
  assert.match(
    found(wrong ?? assert.fail(), 'nameserver_unreachable').message,
    /We asked resolvers instead\.$/,
  )
  assert.match(
    found(wrong ?? assert.fail(), 'cached_old_answer').fix,
    /we only see a change when resolvers do/,
  )
  const broken = bySearch(silent('resolver', 'servfail'))
  assert.match(found(broken, 'servfail').message, /and resolvers return errors\.$/)
})
