import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkDocs } from './check-docs.ts'

const repository = {
  'package.json': JSON.stringify({
    name: 'root',
    scripts: { start: '', bench: '' },
    dependencies: { zod: '4' },
  }),
  'packages/server/src/config/config.ts': "read('MASTHEAD_DATA')\nread('DATABASE_URL')",
  'packages/server/src/edge/route.ts': '',
  'packages/cli/src/server.ts': 'process.env.MASTHEAD_KEY',
  'docs/README.md': ['errors', 'events', 'findings', 'domains', 'configuration', 'dependencies', 'guide']
    .map((name) => `[${name}](${name}.md)`)
    .join('\n'),
  'docs/guide.md': '# A guide\n',
  'docs/errors.md': '# Errors\n## `not_found`\n',
  'docs/events.md': '# Events\n## `key.created`\n',
  'docs/findings.md': '# Findings\n## `cname_missing`\n',
  'docs/domains.md': '| state | meaning |\n|---|---|\n| `pending` | waits for DNS | no |\n',
  'docs/configuration.md': '| variable |\n|---|\n| `MASTHEAD_DATA` |\n| `DATABASE_URL` |\n',
  'docs/dependencies.md': '| package | why |\n|---|---|\n| `zod` | schemas |\n',
}

/** What the check says about a small, correct repository with these files added or replaced. */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder()
  for (const [path, content] of Object.entries({ ...repository, ...files })) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true })
    await writeFile(join(folder.path, path), content)
  }
  const faults = checkDocs(folder.path, {
    problems: ['not_found'],
    events: ['key.created'],
    findings: ['cname_missing'],
    states: ['pending: waits for DNS'],
  })
  return faults.map(({ file, line, message }) => `${file}:${line} ${message}`)
}

test('correct documents have no faults', async () => {
  const readme = `# Read me
## The \`edge\`, twice
## The \`edge\`, twice
\`packages/server/src/edge/route.ts\`, \`edge/route.ts\`, \`docs/errors.md\`, \`packages/server/\`, \`data/keys\`
[a](docs/errors.md#not_found) [b](#the-edge-twice) [c](#the-edge-twice-1) [d](https://example.com/x) [e](docs/)
\`MASTHEAD_DATA\` \`MASTHEAD_KEY\` \`application/json\` \`/v1/keys\` \`packages/*/src\` \`store.ts\`
\`\`\`
npm ci && npm start
npm run bench -- edge
\`\`\``
  assert.deepEqual(await faultsOf({ 'README.md': readme }), [])
})

test('a cited path that does not exist is named with its line', async () => {
  const readme =
    '\n`packages/server/src/gone.ts`\n`edge/gone.ts`\n```\nnode packages/gone.ts\n```\n`CHANGELOG.md`'
  assert.deepEqual(await faultsOf({ 'README.md': readme }), [
    'README.md:2 names packages/server/src/gone.ts, which does not exist',
    'README.md:3 names edge/gone.ts, which does not exist',
    'README.md:7 names CHANGELOG.md, which does not exist',
    'README.md:5 names packages/gone.ts, which does not exist',
  ])
})

test('a link to a missing file or heading is named', async () => {
  assert.deepEqual(
    await faultsOf({ 'docs/guide.md': '[a](gone.md) [b](errors.md#gone) [c](#gone)\n\n[d]: ../gone' }),
    [
      'docs/guide.md:1 links to gone.md, which does not exist',
      'docs/guide.md:1 links to errors.md#gone, but docs/errors.md has no such heading',
      'docs/guide.md:1 links to #gone, but docs/guide.md has no such heading',
      'docs/guide.md:3 links to ../gone, which does not exist',
    ],
  )
})

test('a guide that is in no list is named', async () => {
  assert.deepEqual(await faultsOf({ 'docs/new.md': '# New\n', 'docs/decisions/0001-x.md': '# x\n' }), [
    'docs/new.md:1 is not listed in docs/README.md',
  ])
})

test('a command that no package has is named', async () => {
  assert.deepEqual(await faultsOf({ 'README.md': '`npm run deploy`\n`npm strat`' }), [
    'README.md:1 says `npm run deploy`, which no package.json has',
    'README.md:2 says `npm strat`, which no package.json has',
  ])
})

test('a variable that is documented but not read, or read but not documented, is named', async () => {
  const faults = await faultsOf({
    'README.md': 'Set MASTHEAD_DATE.',
    'docs/configuration.md': '| variable |\n|---|\n| `MASTHEAD_DATA` |\n',
  })
  assert.deepEqual(faults, [
    'README.md:1 names MASTHEAD_DATE, which no program reads',
    'packages/server/src/config/config.ts:2 variable DATABASE_URL has no entry in docs/configuration.md',
  ])
})

test('a list that differs from the code is reported in the file that has the extra entry', async () => {
  const faults = await faultsOf({
    'docs/errors.md': '# Errors\n## `not_fuond`\n',
    'docs/domains.md': '| state |\n|---|\n| `pending` | is served | yes |\n',
    'docs/dependencies.md': '| package |\n|---|\n| `left-pad` |\n',
  })
  assert.deepEqual(faults, [
    'packages/contract/src/problems.ts:1 error code not_found has no entry in docs/errors.md',
    'docs/errors.md:2 error code not_fuond is not in packages/contract/src/problems.ts',
    'packages/contract/src/domains/states.ts:1 domain state pending: waits for DNS has no entry in docs/domains.md',
    'docs/domains.md:3 domain state pending: is served is not in packages/contract/src/domains/states.ts',
    'package.json:1 dependency zod has no entry in docs/dependencies.md',
    'docs/dependencies.md:3 dependency left-pad is not in package.json',
  ])
})
