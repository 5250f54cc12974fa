import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Key, TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import { startOidcIssuer } from '@masthead/testing/peers/oidc/issuer.ts'
import { serverForFile } from '../../../test/test-server.ts'
import { createWorkplace } from '../../../test/workplace.ts'

const server = serverForFile()
let peer: Awaited<ReturnType<typeof startOidcIssuer>>
before(async () => {
  peer = await startOidcIssuer()
})
after(() => peer[Symbol.asyncDispose]())

test('a pipeline is trusted, deploys without a key, is refused elsewhere, and is no longer trusted', async () => {
  await using place = await createWorkplace(server(), { 'dist/index.html': '<h1>Hello' })
  await place.addProject('site')
  assert.match((await place.run('trust')).stderr, /No pipeline is trusted yet/)
  const add = `trust add forgejo --issuer ${peer.issuer} --repository acme/site --branch main --claim actor=ada`
  const added = await place.run(`${add} --project site --json`)
  assert.equal(added.exitCode, 0, added.stderr)
  const publisher = JSON.parse(added.stdout) as TrustedPublisher
  const claims = { repository: 'acme/site', ref: 'refs/heads/main', actor: 'ada' }
  assert.deepEqual(publisher.claims, claims)
  assert.match(
    (await place.run('trust')).stdout,
    /site .*repository=acme\/site ref=refs\/heads\/main actor=ada .*never used/,
  )

  const inJob = (jobClaims: Record<string, string>) => ({
    env: { MASTHEAD_SERVER: publisher.audience, ...peer.startJob(jobClaims) },
  })
  const deploy = 'deploy dist --project site --no-git'
  const published = await place.run(deploy, inJob(claims))
  assert.equal(published.exitCode, 0, published.stderr)
  assert.match(published.stdout, /^http.*site\./)
  const elsewhere = await place.run(deploy, inJob({ ...claims, ref: 'refs/heads/dev' }))
  assert.equal(elsewhere.exitCode, 3)
  assert.match(elsewhere.stderr, /ref refs\/heads\/dev, which no trusted publisher expects/)
  assert.match(elsewhere.stderr, /masthead trust/)

  const token = await peer.newToken({ audience: publisher.audience, claims })
  const given = { env: { MASTHEAD_SERVER: publisher.audience, MASTHEAD_ID_TOKEN: token } }
  assert.equal((await place.run(deploy, given)).exitCode, 0)
  assert.match((await place.run(deploy, given)).stderr, /already exchanged/)
  const broken = { ...inJob(claims).env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }
  assert.match((await place.run(deploy, { env: broken })).stderr, /no ID token.*\n.*id-token: write/)

  assert.equal((await place.run(`trust remove ${publisher.id} --yes`)).exitCode, 0)
  assert.match((await place.run(deploy, inJob(claims))).stderr, /No trusted publisher of site/)
})

test('a pipeline that is trusted on every branch publishes previews, and is told how to go live', async () => {
  await using place = await createWorkplace(server(), { 'dist/index.html': '<h1>Hello' })
  await place.addProject('site')
  const add = `trust add forgejo --issuer ${peer.issuer} --repository acme/site --project site --json`
  const { audience } = JSON.parse((await place.run(add)).stdout) as TrustedPublisher
  const inJob = (ref: string) => ({
    env: { MASTHEAD_SERVER: audience, ...peer.startJob({ repository: 'acme/site', ref }) },
  })
  const deploy = 'deploy dist --project site --no-git'
  const preview = await place.run(`${deploy} --branch dev`, inJob('refs/heads/dev'))
  assert.equal(preview.exitCode, 0, preview.stderr)
  assert.match(preview.stderr, /Uploaded a preview/)
  for (const asked of [' --branch dev --activate', '']) {
    const refused = await place.run(`${deploy}${asked}`, inJob('refs/heads/dev'))
    assert.equal(refused.exitCode, 3, asked)
    assert.match(refused.stderr, /the branch dev, and only main goes live/)
    assert.match(refused.stderr, /--no-activate.*masthead trust add/)
  }
  const live = await place.run(`${deploy} --branch main`, inJob('refs/heads/main'))
  assert.match(live.stderr, /Published site/)
})

test('mistakes are told before anything is sent', async () => {
  await using place = await createWorkplace(server())
  const mistakes: [string, RegExp][] = [
    ['trust add github --project site', /repository is missing/],
    ['trust add forgejo --repository a/b --project site', /Add --issuer/],
    [
      'trust add forgejo --issuer https://codeberg.org/api/actions --repository a/b --environment x --project site',
      /name no environment.*--branch/s,
    ],
    ['trust add bitbucket --repository a/b --project site', /no provider "bitbucket"/],
    ['trust add https://x.example --claim sub --project site', /not a claim/],
    ['trust remove key_1', /not the ID/],
    ['trust ad', /Did you mean `masthead trust add`/],
  ]
  for (const [args, words] of mistakes) {
    const { exitCode, stderr } = await place.run(args)
    assert.equal(exitCode, 2, args)
    assert.match(stderr, words)
  }
})

test('a key is created for one project', async () => {
  await using place = await createWorkplace(server())
  const project = await place.addProject('site')
  const { stdout } = await place.run('keys create ci --project site --json')
  assert.deepEqual((JSON.parse(stdout) as Key).project, { id: project.id, slug: 'site' })
  assert.match((await place.run('keys')).stdout, /ci .*only site/)
})
