import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { runMasthead } from '../test/run-masthead.ts'

test('the key stays with a server that leads from HTTP to HTTPS', async (t) => {
  // Asked by its address, it does not, so that a client without its root can prepare the test.
  const masthead = await MastheadProcess.start({
    env: { MASTHEAD_HTTPS_REDIRECT: 'on' },
    apiHost: '127.0.0.1',
  })
  t.after(() => masthead.stop())
  await using folder = await temporaryFolder('masthead-redirect')
  const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  const operator = createClient({ server: masthead.origin, key: operatorKey })
  const { key } = await operator.createAccount({ body: { name: 'Team', plan: 'pro' } })
  const root = join(folder.path, 'root.pem')
  await writeFile(root, await operator.getCaRoot())
  await mkdir(join(folder.path, 'site'))
  await writeFile(join(folder.path, 'site/index.html'), 'hi')

  const server = `http://localhost:${masthead.httpPort}`
  const options = { cwd: folder.path, env: { NODE_EXTRA_CA_CERTS: root }, input: key.secret }
  for (const args of [['login', server, '--with-key'], ['whoami'], ['deploy', 'site']]) {
    const { exitCode, stderr } = await runMasthead(args, options)
    assert.equal(exitCode, 0, stderr)
  }
})
