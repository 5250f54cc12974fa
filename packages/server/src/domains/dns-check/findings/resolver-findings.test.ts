import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bySearch, found, server, silent } from '../judge.test-kit.ts'

test('where only resolvers could be asked, nobody is told to mend or wait for nameservers that answered', () => {
  const some = [
    bySearch(server('resolver', ['A 203.0.113.1'])),
    bySearch(server('resolver', [], { negativeTtl: 60 })),
  ]
  for (const { findings } of some) {
    for (const { fix } of findings) assert.doesNotMatch(fix, /The others answered|registrar|does not wait/)
  }
  const [wrong] = some
  assert.match(
    found(wrong ?? assert.fail(), 'nameserver_unreachable').message,
    /Resolvers were asked instead\.$/,
  )
  assert.match(found(wrong ?? assert.fail(), 'cached_old_answer').fix, /sees a change only when resolvers do/)
  const broken = bySearch(silent('resolver', 'servfail'))
  assert.match(found(broken, 'servfail').message, /and resolvers answer with an error\.$/)
})
