import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema, runSql, serverUser, startPostgres } from '@masthead/testing/peers/postgres.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

const isRoot = process.getuid?.() === 0
/** As a user for whom permissions count: root may do everything. */
const withoutPrivileges = isRoot
  ? ['setpriv', '--inh-caps=-all', '--bounding-set=-dac_override,-dac_read_search,-net_bind_service']
  : []

function lowPortsNeedPrivilege(): boolean {
  const setting = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
  return existsSync(setting) && Number(readFileSync(setting, 'utf8')) > 80
}

/** What the server says before it ends, which must be one line. */
async function failure(env: Record<string, string>, under: string[] = []): Promise<string> {
  await using masthead = await MastheadProcess.prepare({ env, under })
  const { code, output } = await masthead.runBeside()
  assert.equal(code, 1, output)
  const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, output)
  return lines[0] ?? ''
}

test('an address of PostgreSQL or Redis that was not percent-encoded is refused, and no part of it is shown', async () => {
  for (const [name, value] of [
    ['DATABASE_URL', 'postgres://u:hu@sh#hush@127.0.0.1:1/db'],
    ['DATABASE_URL', 'postgres://u:12/hush@127.0.0.1:1/db'],
    ['DATABASE_URL', 'postgres://u:12?hush@127.0.0.1:1/db'],
    ['REDIS_URL', 'redis://:hu%sh@127.0.0.1:1'],
  ] as const) {
    const text = await failure({ [name]: value })
    assert.match(
      text,
      new RegExp(`^${name}: \\(not shown\\) is not allowed\\. .*percent-encoded \\(%23 for #`),
    )
    assert.doesNotMatch(text, /hu@sh|hush|hu%s/)
  }
})

test('a PostgreSQL that does not run is named by its setting', async () => {
  const port = await freePort()
  for (const host of ['127.0.0.1', 'localhost']) {
    const text = await failure({ DATABASE_URL: `postgres://u:hush@${host}:${port}/db` })
    assert.match(text, /^DATABASE_URL: connect ECONNREFUSED .*\. Check that the server there runs/)
    assert.doesNotMatch(text, /hush/)
  }
})

test('an address or port that cannot be used is named by its setting', async () => {
  assert.match(
    await failure({ MASTHEAD_HOST: '192.0.2.9' }),
    /^MASTHEAD_HOST: .*Use an address of this machine/,
  )
  for (const workers of ['1', '2']) {
    const env = { MASTHEAD_HOST: '192.0.2.9', MASTHEAD_WORKERS: workers }
    assert.match(await failure(env), /^MASTHEAD_HOST: /)
  }
})

test('a port that needs a privilege is named by its setting', {
  skip: !lowPortsNeedPrivilege() && 'anyone can use low ports here',
}, async () => {
  const text = await failure({ MASTHEAD_HTTP_PORT: '80' }, withoutPrivileges)
  assert.match(text, /^MASTHEAD_HTTP_PORT: .*EACCES.*CAP_NET_BIND_SERVICE/)
})

test('a data folder that cannot be created, written to or is a file is named by its setting', async () => {
  await using folder = await temporaryFolder('masthead-start')
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  await chmod(folder.path, 0o500)
  for (const [path, under] of [
    [file, []],
    [join(file, 'data'), []],
    ['/proc/masthead', []],
    [join(folder.path, 'data'), withoutPrivileges],
    [folder.path, withoutPrivileges],
  ] as const) {
    const text = await failure({ MASTHEAD_DATA: path }, [...under])
    assert.match(text, /^MASTHEAD_DATA: .*Use a folder that this user can create and write to\.$/, path)
  }
})

test('a folder is refused where a file is needed', async () => {
  assert.match(
    await failure({ MASTHEAD_CA_ROOTS: '/etc' }),
    /^MASTHEAD_CA_ROOTS: "\/etc" is not allowed\. Use the path of a file/,
  )
})

const skip = skipWithout('postgresql')

test('a PostgreSQL that cannot be used as its address says is named by its setting', { skip }, async () => {
  await using schema = await postgresSchema()
  const at = (change: (url: URL) => void) => {
    const url = new URL(schema.url)
    change(url)
    return failure({ DATABASE_URL: url.href })
  }
  const withParameter = (name: string, value: string) => at((url) => url.searchParams.set(name, value))
  for (const mode of ['require', 'verify-full']) {
    assert.match(
      await withParameter('sslmode', mode),
      /^DATABASE_URL: .*SSL.*\. Turn on TLS in PostgreSQL/,
      mode,
    )
  }
  assert.match(
    await withParameter('options', '-csearch_path=missing'),
    /^DATABASE_URL: .*Create the schema first/,
  )
  assert.match(await withParameter('host', '/missing'), /^DATABASE_URL: .*Check the path of the socket/)
  assert.match(
    await withParameter('options', '-cdefault_transaction_read_only=on'),
    /^DATABASE_URL: .*read-only/,
  )
  assert.match(
    await at((url) => url.searchParams.set('sslrootcert', '/missing.pem')),
    /^DATABASE_URL: .*\/missing\.pem.*Check the path/,
  )
})

test('a certificate of PostgreSQL that nobody vouches for is refused in one line, and accepted with its CA', {
  skip,
}, async () => {
  const postgres = await startPostgres()
  await using folder = await temporaryFolder('masthead-tls')
  try {
    const ca = await turnOnTls(postgres.url, folder.path)
    const text = await failure({ DATABASE_URL: `${postgres.url}?sslmode=require` })
    assert.match(text, /^DATABASE_URL: self-signed certificate\. .*sslrootcert=FILE/)
    const url = `${postgres.url}?sslmode=verify-full&sslrootcert=${ca}`
    await using masthead = await MastheadProcess.start({ env: { DATABASE_URL: url } })
    assert.equal((await fetch(`${masthead.origin}/readyz`)).status, 200)
  } finally {
    await postgres.stop()
  }
})

/** Returns the file of its certificate. */
async function turnOnTls(url: string, folder: string): Promise<string> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=PostgreSQL'
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1']
  await promisify(execFile)('openssl', [...request.split(' '), ...names, '-keyout', key, '-out', certificate])
  const user = serverUser()
  await chmod(folder, 0o755)
  await chmod(key, 0o600)
  if (user !== undefined) await chown(key, user.uid, user.gid)
  await runSql(url, `alter system set ssl_cert_file = '${certificate}'`)
  await runSql(url, `alter system set ssl_key_file = '${key}'`)
  await runSql(url, 'alter system set ssl = on')
  await runSql(url, 'select pg_reload_conf()')
  const isOn = async () => {
    const [row] = await runSql<{ ssl: string }>(url, 'show ssl')
    return row?.ssl === 'on'
  }
  await until(isOn)
  return certificate
}
