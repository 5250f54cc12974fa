import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { noTerminal, runMasthead } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { workplaceWithSite } from '../test/workplace.ts'

const server = serverForFile()

/** Those that stand on a line of their own, without `masthead`. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^ {4}masthead (.+)$/gm)].flatMap(([, command]) => command ?? [])
}

test('a name is checked, added, set in the lab, verified, configured by deploy and removed', async () => {
  await using home = await temporaryFolder('masthead-domains-walk')
  const env = { MASTHEAD_SERVER: server().origin, MASTHEAD_KEY: server().account.key }
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

  assert.match(await run('domains check www.acme.localhost'), /Nothing blocks it/)
  const added = await run('domains add https://WWW.Acme.localhost/')
  const inLab = /masthead (lab set www\.acme\.localhost CNAME \S+)\n/.exec(added)?.[1]
  assert.ok(inLab, added)

  await run('lab set www.acme.localhost A 203.0.113.9')
  const wrong = await run('domains verify www.acme.localhost --no-wait', 1)
  assert.match(wrong, /✗ An A record is in the way/)
  assert.match(wrong, /- remove +A +www +203\.0\.113\.9\n +\+ add +CNAME +www /)
  assert.match(await run(inLab, 1), /Remove it first: masthead lab remove www\.acme\.localhost A\n$/)
  assert.deepEqual(commandsIn(wrong), ['lab remove www.acme.localhost A', inLab])
  for (const command of commandsIn(wrong)) await run(command)
  assert.match(await run('domains verify www.acme.localhost'), /^www\.acme\.localhost {2}(Verified|Live)\n/)

  await run('domains add acme.localhost')
  await run('lab set acme.localhost A 203.0.113.9 203.0.113.10')
  for (const command of commandsIn(await run('domains verify acme.localhost --no-wait', 1)))
    await run(command)
  assert.match(await run('domains verify acme.localhost'), /^acme\.localhost {2}(Verified|Live)\n/)

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

test('the last view of a watch that ends stays whole at a terminal, however wide it is', {
  skip: noTerminal,
}, async () => {
  await using place = await workplaceWithSite(server())
  const hostname = `www.${'long-'.repeat(6)}name.localhost`
  await place.client.setLabRecord({
    params: { name: hostname, type: 'A' },
    body: { values: ['203.0.113.9'] },
  })
  const { records } = await place.addDomain(hostname)
  place.proxy.before.getDomain = async () => {
    if (place.proxy.count('getDomain') > 1) return
    await place.client.removeDomain({ params: { project: 'site', hostname } })
  }
  const { exitCode, stdout } = await place.atTerminal(`domains verify ${hostname}`)
  assert.equal(exitCode, 1, stdout)
  assert.doesNotMatch(stdout, /…/)
  const left = stdout.slice(stdout.lastIndexOf('\x1b[1A\x1b[2K'))
  const command = `masthead lab set ${hostname} CNAME ${records[0]?.value}`
  assert.ok(command.length > 80)
  assert.match(left, new RegExp(`\n {4}${command}\r?\n`))
  assert.match(left, /Masthead keeps checking automatically/)
})
