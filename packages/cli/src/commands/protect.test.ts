import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()
const password = 'correct horse battery'

test('a site is protected, shown, opened and protected again by the same password', async () => {
  await using place = await createWorkplace(server(), {})
  await place.addProject('site')
  const env = { ...place.signedIn, MASTHEAD_SITE_PASSWORD: password }
  assert.equal((await place.run('protect -p site')).stdout, 'site  open to everyone\n')
  const missing = await place.run('protect on -p site')
  assert.equal(missing.exitCode, 1)
  assert.match(missing.stderr, /has no password yet\.\nSet MASTHEAD_SITE_PASSWORD/)
  const on = await place.run('protect on -p site --path /members --path /drafts/ --note Ask', { env })
  assert.equal(on.stdout, 'site  Some paths, also in previews\n  /members\n  /drafts\n  Note: Ask\n')
  const { protection } = JSON.parse((await place.run('protect on --previews -p site --json')).stdout)
  assert.equal(protection.scope, 'previews')
  assert.match((await place.run('protect off -p site')).stderr, /protect undo/)
  assert.equal((await place.run('protect undo -p site')).stdout, 'site  Previews only\n')
  for (const args of [
    'protect on --previews --path /a -p site',
    'protect off --note a -p site',
    'protect sideways',
    'protect toString',
  ]) {
    assert.equal((await place.run(args, { env })).exitCode, 2, args)
  }
})
