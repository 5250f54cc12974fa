import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import { configWarnings, warningText } from './config-warnings.ts'

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
  return []
}

test('an empty environment suits a laptop: embedded, on loopback, under .localhost', () => {
  const config = readConfig({})
  assert.equal(config.platformDomain, 'masthead.localhost')
  assert.equal(config.dashboardHost, 'localhost')
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.httpPort, 8080)
  assert.equal(config.databaseUrl, null)
  assert.deepEqual([...config.roles], ['api', 'edge', 'worker'])
  assert.ok(Object.isFrozen(config))
})

test('the lab runs only if the platform is under .localhost', () => {
  assert.deepEqual(readConfig({}).lab, { port: 8053, chosen: false })
  assert.deepEqual(readConfig({ MASTHEAD_LAB_PORT: '8054' }).lab, { port: 8054, chosen: true })
  assert.equal(readConfig({ MASTHEAD_LAB_PORT: 'off' }).lab, null)
  for (const domain of ['pages.example.com', 'localhost']) {
    assert.equal(readConfig({ MASTHEAD_PLATFORM_DOMAIN: domain }).lab, null, domain)
  }
})

test('plain HTTP redirects to HTTPS by default, but not with the internal CA', () => {
  assert.equal(readConfig({}).httpsRedirect, false)
  assert.equal(readConfig({ MASTHEAD_CA: 'letsencrypt' }).httpsRedirect, true)
  assert.equal(readConfig({ MASTHEAD_HTTPS_REDIRECT: 'on' }).httpsRedirect, true)
})

test('settings that need each other are refused alone', () => {
  const line = 'MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY need each other. Set both or neither.'
  assert.deepEqual(faultsOf({ MASTHEAD_CA_EAB_KID: 'kid-1' }), [line])
  const both = { MASTHEAD_CA_EAB_KID: 'kid-1', MASTHEAD_CA_EAB_HMAC_KEY: 'c2VjcmV0' }
  assert.deepEqual(readConfig(both).cas[0].externalAccount, { kid: 'kid-1', hmacKey: 'c2VjcmV0' })
})

test('HTTP and HTTPS cannot share a port, unless no sites are served', () => {
  assert.match(`${faultsOf({ MASTHEAD_HTTP_PORT: '8443' })}`, /HTTP_PORT and .*HTTPS_PORT are both 8443/)
  assert.deepEqual(faultsOf({ MASTHEAD_HTTP_PORT: '8443', MASTHEAD_ROLES: 'api' }), [])
})

test('several certificate authorities have their settings in the same order', () => {
  const { cas } = readConfig({
    MASTHEAD_CA: 'letsencrypt, https://ca.example/dir',
    MASTHEAD_CA_EAB_KID: ',kid-2',
    MASTHEAD_CA_EAB_HMAC_KEY: ',c2VjcmV0',
    MASTHEAD_CA_BUDGET: ';300/3h,50/7d',
    MASTHEAD_CA_IDENTITIES: 'letsencrypt.org;ca.example,other.example',
  })
  assert.deepEqual(
    cas.map(({ name, externalAccount, budget, identities }) => [
      name,
      externalAccount?.kid,
      budget !== null,
      identities,
    ]),
    [
      ['letsencrypt', undefined, false, ['letsencrypt.org']],
      ['https://ca.example/dir', 'kid-2', true, ['ca.example', 'other.example']],
    ],
  )
  assert.match(faultsOf({ MASTHEAD_CA: 'letsencrypt,internal' })[0] ?? '', /internal stands alone/)
  assert.match(faultsOf({ MASTHEAD_CA: 'letsencrypt,letsencrypt' })[0] ?? '', /named once/)
  assert.match(faultsOf({ MASTHEAD_CA: 'letsencrypt,' })[0] ?? '', /URL of an ACME directory/)
  const more = { MASTHEAD_CA_EAB_KID: 'a,b', MASTHEAD_CA_EAB_HMAC_KEY: 'YQ,Yg' }
  assert.match(faultsOf(more)[0] ?? '', /^MASTHEAD_CA_EAB_KID has 2 values, but MASTHEAD_CA names 1/)
})

test('DNS servers are read with their ports, 53 by default', () => {
  const { dnsServers } = readConfig({ MASTHEAD_DNS_SERVERS: '127.0.0.1:8053,[::1]:5353,192.0.2.1' })
  assert.deepEqual(dnsServers, [
    { address: '127.0.0.1', port: 8053 },
    { address: '::1', port: 5353 },
    { address: '192.0.2.1', port: 53 },
  ])
})

test('an empty value counts as unset', () => {
  assert.equal(readConfig({ MASTHEAD_HTTP_PORT: '' }).httpPort, 8080)
})

const accepted: [name: string, value: string][] = [
  ['MASTHEAD_HTTP_PORT', '65535'],
  ['MASTHEAD_HOST', '::'],
  ['MASTHEAD_PLATFORM_DOMAIN', 'Pages.Bücher.example.'],
  ['MASTHEAD_ROLES', 'edge, worker'],
  ['MASTHEAD_TRUSTED_PROXIES', '10.0.0.0/8, 2001:db8::/32,192.0.2.7'],
  ['DATABASE_URL', 'postgres://masthead@db/masthead'],
  ['REDIS_URL', 'rediss://:password@cache:6380/1'],
  ['MASTHEAD_OPERATOR_KEY', 'a'.repeat(32)],
  ['MASTHEAD_EDGE_ADDRESSES', '192.0.2.7, 2001:db8::7'],
  ['MASTHEAD_CA_IDENTITIES', 'letsencrypt.org,pki.goog'],
  ['MASTHEAD_DNS_SERVERS', '127.0.0.1:8053, [::1]:53, 192.0.2.1'],
  ['MASTHEAD_DNS_LISTEN', '0.0.0.0:53'],
  ['MASTHEAD_DNS_LISTEN', '[::]:53'],
  ['MASTHEAD_DNS_PORT', '5353'],
  ['MASTHEAD_LAB_PORT', 'off'],
  ['MASTHEAD_LAB_PORT', '8054'],
  ['MASTHEAD_HTTPS_PORT', '443'],
  ['MASTHEAD_CA', 'letsencrypt'],
  ['MASTHEAD_CA', 'https://127.0.0.1:14000/dir'],
  ['MASTHEAD_CA_CONTACT', 'operator@example.com'],
  ['MASTHEAD_CA_CHAIN', 'ISRG Root X1'],
  ['MASTHEAD_CA_BUDGET', 'none'],
  ['MASTHEAD_CA_BUDGET', '300/3h'],
  ['MASTHEAD_CA_BUDGET', '1500/3h, 200/7d'],
  ['MASTHEAD_HTTPS_REDIRECT', 'on'],
  ['MASTHEAD_FAST_SOCKETS', 'off'],
  ['MASTHEAD_MASTER_KEY', 'a'.repeat(64)],
  ['MASTHEAD_WORKERS', '4'],
]
for (const [name, value] of accepted) {
  test(`${name}=${value} is accepted`, () => assert.deepEqual(faultsOf({ [name]: value }), []))
}

test('mail needs a server and a sender, and a wrong address does not show its password', () => {
  const from = { MASTHEAD_MAIL_FROM: 'masthead@example.com' }
  const good = [
    'smtp://localhost',
    'smtp://mail.example.com:2525',
    'smtps://us%3Aer:p%40ss@mail.example.com',
    'smtp://a:b@[::1]:25/',
  ]
  for (const url of good) assert.deepEqual(faultsOf({ ...from, MASTHEAD_SMTP_URL: url }), [], url)
  for (const url of [
    ...['mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp://hidden@mail.example.com'],
    ...['smtp://hidden:%zz@mail.example.com', 'smtp://mail.example.com/hidden', 'smtp://m.example?hidden=1'],
  ]) {
    const [line = '', ...others] = faultsOf({ ...from, MASTHEAD_SMTP_URL: url })
    assert.match(line, /^MASTHEAD_SMTP_URL: \(not shown\)/, url)
    assert.ok(![line, ...others].join().includes('hidden'))
  }
  assert.match(faultsOf(from).join(), /MASTHEAD_SMTP_URL and MASTHEAD_MAIL_FROM need each other/)
  assert.match(faultsOf({ MASTHEAD_SMTP_URL: 'smtp://localhost' }).join(), /need each other/)
  assert.match(faultsOf({ ...from, MASTHEAD_MAIL_FROM: 'a@b\nBcc: x@y' }).join(), /MASTHEAD_MAIL_FROM/)
})

for (const url of ['https://u:hidden@ca.test:x/', 'ftp://u:hi/d?#hidden@ca.test', 'u:p@hidden@ca.test']) {
  test(`a fault about ${url} does not show its user and password`, () => {
    const line = faultsOf({ MASTHEAD_CA: url, MASTHEAD_BLOBS: url }).join()
    assert.match(line, /^MASTHEAD_CA: ".*\(not shown\)@ca\.test/m)
    assert.ok(!line.includes('hidden'), line)
  })
}

test('the header with the country needs a proxy that is trusted with it', () => {
  const header = { MASTHEAD_COUNTRY_HEADER: 'CF-IPCountry' }
  assert.match(faultsOf(header).join(), /MASTHEAD_COUNTRY_HEADER needs MASTHEAD_TRUSTED_PROXIES/)
  assert.deepEqual(faultsOf({ ...header, MASTHEAD_TRUSTED_PROXIES: '192.0.2.7' }), [])
})

const refused: [name: string, value: string][] = [
  ['MASTHEAD_HTTP_PORT', 'eighty'],
  ['MASTHEAD_HTTP_PORT', '0'],
  ['MASTHEAD_HTTP_PORT', '65536'],
  ['MASTHEAD_HOST', 'localhost'],
  ['MASTHEAD_PLATFORM_DOMAIN', '127.0.0.1'],
  ['MASTHEAD_PLATFORM_DOMAIN', 'a b'],
  ['MASTHEAD_ROLES', 'api,chef'],
  ['MASTHEAD_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['MASTHEAD_COUNTRY_HEADER', 'CF IPCountry'],
  ['MASTHEAD_COUNTRY_HEADER', 'Accept-Language'],
  ['MASTHEAD_COUNTRY_HEADER', 'x-forwarded-for'],
  ['MASTHEAD_SIGNUP', 'yes'],
  ['MASTHEAD_EDGE_ADDRESSES', 'edge.example.com'],
  ['MASTHEAD_CA_IDENTITIES', 'letsencrypt.org,'],
  ['MASTHEAD_DNS_LISTEN', '0.0.0.0'],
  ['MASTHEAD_DNS_LISTEN', 'ns.example.com:53'],
  ['MASTHEAD_DNS_LISTEN', '0.0.0.0:53,[::]:53'],
  ['MASTHEAD_DNS_SERVERS', 'dns.example.com:53'],
  ['MASTHEAD_DNS_SERVERS', '127.0.0.1:99999'],
  ['MASTHEAD_LAB_PORT', 'on'],
  ['MASTHEAD_CA', 'lets-encrypt'],
  ['MASTHEAD_CA_ROOTS', '/nowhere/roots.pem'],
  ['MASTHEAD_CA_CONTACT', 'nobody'],
  ['MASTHEAD_CA_BUDGET', '300'],
  ['MASTHEAD_CA_BUDGET', '0/3h'],
  ['MASTHEAD_CA_BUDGET', '300/3h,'],
  ['MASTHEAD_CA_BUDGET', '300/3h,50/7d,5/7d'],
  ['MASTHEAD_CA_BUDGET', '300/0h'],
  ['MASTHEAD_HTTPS_REDIRECT', 'yes'],
  ['MASTHEAD_FAST_SOCKETS', 'fast'],
  ['MASTHEAD_WORKERS', '0'],
  ['MASTHEAD_WORKERS', '129'],
  ['MASTHEAD_WORKERS', 'two'],
  ['MASTHEAD_MAX_FILES', '-1'],
]
for (const [name, value] of refused) {
  test(`${name}=${value} is refused in one line that names it and what is allowed`, () => {
    const [line = '', ...rest] = faultsOf({ [name]: value })
    assert.equal(rest.length, 0)
    assert.ok(line.startsWith(`${name}: ${JSON.stringify(value)} is not allowed. Use `), line)
    assert.ok(!line.includes('\n'))
  })
}

test('all invalid values are reported together', () => {
  assert.equal(faultsOf({ MASTHEAD_HTTP_PORT: 'x', MASTHEAD_SIGNUP: 'y', MASTHEAD_ROLES: 'z' }).length, 3)
})

test('an invalid secret is not shown', () => {
  const lines = faultsOf({
    MASTHEAD_OPERATOR_KEY: 'short-secret',
    DATABASE_URL: 'mysql://me:hidden@db',
    REDIS_URL: 'http://me:hidden@cache',
  }).join('\n')
  assert.ok(!lines.includes('short-secret') && !lines.includes('hidden'), lines)
})

test('edge processes without the edge cause a warning', () => {
  assert.equal(configWarnings(readConfig({ MASTHEAD_WORKERS: '4', MASTHEAD_ROLES: 'api,worker' })).length, 1)
  assert.deepEqual(configWarnings(readConfig({ MASTHEAD_WORKERS: '4' })), [])
})

const s3Keys = { MASTHEAD_S3_ACCESS_KEY_ID: 'key', MASTHEAD_S3_SECRET_ACCESS_KEY: 'secret' }

test('files are in the data folder unless a bucket is named', () => {
  assert.equal(readConfig({}).s3, null)
  assert.equal(readConfig({ AWS_ACCESS_KEY_ID: 'key', AWS_REGION: 'eu-west-1' }).s3, null)
  assert.deepEqual(readConfig({ MASTHEAD_BLOBS: 's3://bucket', ...s3Keys }).s3, {
    bucket: 'bucket',
    prefix: '',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
    region: 'us-east-1',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    sessionToken: null,
    pathStyle: true,
  })
})

test('a bucket may have a folder, with or without a slash at its end', () => {
  const prefixOf = (location: string) => readConfig({ MASTHEAD_BLOBS: location, ...s3Keys }).s3?.prefix
  assert.equal(prefixOf('s3://bucket/'), '')
  assert.equal(prefixOf('s3://bucket/a'), 'a/')
  assert.equal(prefixOf('s3://bucket/a/b/'), 'a/b/')
  for (const location of [
    'bucket',
    's3:/bucket',
    's3://',
    's3://b',
    's3://Bucket',
    's3://bucket//a',
    's3://bucket/../other',
    's3://bucket/a b',
    's3://key:secret@bucket/a',
  ]) {
    const [line = ''] = faultsOf({ MASTHEAD_BLOBS: location, ...s3Keys })
    assert.match(line, /^MASTHEAD_BLOBS: .* is not allowed\. Use a bucket/, location)
  }
})

test('the usual variables of AWS count where our own are not set', () => {
  const aws = {
    MASTHEAD_BLOBS: 's3://bucket',
    AWS_ACCESS_KEY_ID: 'aws-key',
    AWS_SECRET_ACCESS_KEY: 'aws-secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_DEFAULT_REGION: 'eu-north-1',
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9000/',
  }
  const s3 = readConfig(aws).s3
  assert.deepEqual(
    [s3?.accessKeyId, s3?.secretAccessKey, s3?.sessionToken],
    ['aws-key', 'aws-secret', 'token'],
  )
  assert.deepEqual([s3?.region, s3?.endpoint], ['eu-north-1', 'http://127.0.0.1:9000'])

  const both = readConfig({
    ...aws,
    ...s3Keys,
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_S3: 'https://s3.example.com',
    MASTHEAD_S3_PATH_STYLE: 'false',
  }).s3
  assert.deepEqual([both?.accessKeyId, both?.secretAccessKey, both?.sessionToken], ['key', 'secret', null])
  assert.deepEqual([both?.region, both?.endpoint], ['eu-west-1', 'https://s3.example.com'])
  assert.equal(both?.pathStyle, false)
})

test('a bucket needs keys, and no fault shows a secret', () => {
  const needed = 'MASTHEAD_BLOBS needs MASTHEAD_S3_ACCESS_KEY_ID and MASTHEAD_S3_SECRET_ACCESS_KEY.'
  assert.deepEqual(faultsOf({ MASTHEAD_BLOBS: 's3://bucket' }), [needed])
  assert.deepEqual(faultsOf({ MASTHEAD_BLOBS: 's3://bucket', MASTHEAD_S3_ACCESS_KEY_ID: 'key' }), [needed])
  const faults = faultsOf({
    MASTHEAD_BLOBS: 's3://bucket',
    MASTHEAD_S3_ACCESS_KEY_ID: 'key',
    MASTHEAD_S3_SECRET_ACCESS_KEY: 'my secret\n',
    MASTHEAD_S3_ENDPOINT: 'ftp://s3.example.com',
    MASTHEAD_S3_PATH_STYLE: 'yes',
    MASTHEAD_S3_REGION: 'eu/west',
  })
  assert.ok(!faults.join().includes('my secret'))
  for (const name of ['SECRET_ACCESS_KEY', 'ENDPOINT', 'PATH_STYLE', 'REGION']) {
    assert.ok(
      faults.some((line) => line.startsWith(`MASTHEAD_S3_${name}: `)),
      name,
    )
  }
})

test('names that look like settings and are none are warned of with the nearest one, and never with their values', () => {
  const secret = 'a-value-that-must-not-be-shown'
  const misspelt = {
    MASTHEAD_TRUSTED_PROXY: 'MASTHEAD_TRUSTED_PROXIES',
    MASTHEAD_REDIS_URL: 'REDIS_URL',
    MASTHEAD_DATABASE_URL: 'DATABASE_URL',
    MASTHEAD_HTTPS_PROT: 'MASTHEAD_HTTPS_PORT',
    MASTHEAD_PORT: 'MASTHEAD_HTTP_PORT',
    masthead_data: 'MASTHEAD_DATA',
  }
  for (const [name, meant] of Object.entries(misspelt)) {
    const [warning = '', ...others] = configWarnings(readConfig({ [name]: secret })).map(warningText)
    assert.equal(
      warning,
      `${name} is not a setting and has no effect. Use ${meant} if you mean that, or remove it.`,
    )
    assert.deepEqual(others, [])
  }
  const [warning = ''] = configWarnings(readConfig({ MASTHEAD_SOMETHING_ELSE_ENTIRELY: secret })).map(
    warningText,
  )
  assert.match(warning, /has no effect\. Use one that docs\/configuration\.md lists/)
  assert.doesNotMatch(warning, /must-not-be-shown/)
})

test('variables of the command line, of Kubernetes and empty ones are not warned of', () => {
  const environment = {
    MASTHEAD_SERVER: 'https://masthead.example',
    MASTHEAD_KEY: 'mh_key',
    MASTHEAD_TRUSTED_PROXY: '',
    MASTHEAD_EDGE_SERVICE_HOST: '10.0.0.1',
    MASTHEAD_EDGE_SERVICE_PORT_HTTP: '80',
    MASTHEAD_EDGE_PORT: 'tcp://10.0.0.1:80',
    MASTHEAD_EDGE_PORT_80_TCP_ADDR: '10.0.0.1',
  }
  assert.deepEqual(configWarnings(readConfig(environment)), [])
})
