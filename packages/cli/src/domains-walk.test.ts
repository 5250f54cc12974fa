import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { runMasthead } from '../test/run-masthead.ts'

const operator = 'a key of the operator, long enough for it'

async function keyOfProAccount(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/v1/operator/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Acme', plan: 'pro' }),
  })
  assert.equal(answer.status, 201)
  const { key } = (await answer.json()) as { key: { secret: string } }
  return key.secret
}

/** Those that stand on a line of their own, without `masthead`. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^ {4}masthead (.+)$/gm)].flatMap(([, command]) => command ?? [])
}

test('a name is checked, added, set in the lab, verified, configured by deploy and removed', async () => {
  const labPort = String(await freeDnsPort('127.0.0.1'))
  const settings = { MASTHEAD_OPERATOR_KEY: operator, MASTHEAD_LAB_PORT: labPort }
  await using masthead = await MastheadProcess.start({ env: settings })
  await using home = await temporaryFolder('masthead-domains-walk')
  const env = { MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: await keyOfProAccount(masthead.origin) }
  const write = (text: string) => writeFile(join(home.path, 'masthead.yaml'), text)
  const run = async (line: string, expected = 0) => {
    const { exitCode, stdout, stderr } = await runMasthead(line.split(' '), { cwd: home.path, env })
    assert.equal(exitCode, expected, `${line}: ${stdout}${stderr}`)
    return `${stdout}${stderr}`
  }
  await mkdir(join(home.path, 'dist'))
  await writeFile(join(home.path, 'dist', 'index.html'), 'hi')
  await write('project: acme\nfolder: dist\n')
  await run('deploy')

  assert.match(await run('domains check www.acme.localhost'), /Nothing is in the way/)
  const added = await run('domains add https://WWW.Acme.localhost/')
  const inLab = /masthead (lab set www\.acme\.localhost CNAME \S+)\n/.exec(added)?.[1]
  assert.ok(inLab, added)

  await run('lab set www.acme.localhost A 203.0.113.9')
  const wrong = await run('domains verify www.acme.localhost --no-wait', 1)
  assert.match(wrong, /✗ An A record is in the way/)
  assert.match(wrong, /- remove +A +www +203\.0\.113\.9\n +\+ add +CNAME +www /)
  assert.match(await run(inLab, 1), /Remove that first: masthead lab remove www\.acme\.localhost A\n$/)
  assert.deepEqual(commandsIn(wrong), ['lab remove www.acme.localhost A', inLab])
  for (const command of commandsIn(wrong)) await run(command)
  assert.match(await run('domains verify www.acme.localhost'), /^www\.acme\.localhost {2}Verified\n/)

  await run('domains add acme.localhost')
  await run('lab set acme.localhost A 203.0.113.9 203.0.113.10')
  for (const command of commandsIn(await run('domains verify acme.localhost --no-wait', 1)))
    await run(command)
  assert.match(await run('domains verify acme.localhost'), /^acme\.localhost {2}Verified\n/)

  const domains = 'domains:\n  primary: www.acme.localhost\n'
  const redirect = '  redirects:\n    - from: acme.masthead.localhost\n      to: www.acme.localhost\n'
  await write(`project: acme\nfolder: dist\n${domains}${redirect}`)
  assert.match(await run('deploy'), /\+ {2}primary +www\.acme\.localhost\n.*\nApplied\.\n/)
  await write(`project: acme\nfolder: dist\n${domains.replace('www', 'new')}`)
  const refused = await run('deploy', 1)
  assert.match(refused, /^masthead\.yaml line 4, domains\.primary: new\.acme\.localhost is not a domain/m)
  assert.match(refused, /masthead domains add new\.acme\.localhost/)

  assert.match(await run('domains timeline www.acme.localhost'), /the domain is verified.*was added/s)
  assert.match(await run('domains remove www.acme.localhost --yes'), /^Removed www\.acme\.localhost\.\n/)
  await run('domains show www.acme.localhost', 1)
})
