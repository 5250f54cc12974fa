import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { checkImports } from './check-imports.ts'

const manifests = {
  'package.json': { name: 'root' },
  'packages/contract/package.json': { name: '@masthead/contract', exports: { './*': './src/*' } },
  'packages/server/package.json': {
    name: '@masthead/server',
    dependencies: { '@masthead/contract': '1', fastify: '1' },
    devDependencies: { '@masthead/testing': '1' },
  },
  'packages/cli/package.json': {
    name: 'masthead',
    dependencies: { '@masthead/contract': '1', '@masthead/server': '1' },
  },
  'packages/dashboard/package.json': { name: 'dashboard', dependencies: { '@masthead/contract': '1' } },
  'testing/package.json': { name: '@masthead/testing', exports: { './*': './*' } },
}

/** What the check says about a small repository with these files. `src/…` is short for the server's source. */
async function faultsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await temporaryFolder()
  const everything = Object.entries({
    ...Object.fromEntries(Object.entries(manifests).map(([path, value]) => [path, JSON.stringify(value)])),
    'packages/contract/src/plans.ts': '',
    'testing/free-port.ts': '',
    ...files,
  })
  for (const [path, content] of everything) {
    const target = join(folder.path, path.replace(/^src\//, 'packages/server/src/'))
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
  }
  return checkImports(folder.path).map(({ file, line, message }) => `${file}:${line} ${message}`)
}

async function assertBroken(files: Record<string, string>, ...expected: RegExp[]): Promise<void> {
  const faults = await faultsOf(files)
  assert.equal(faults.length, expected.length, faults.join('\n'))
  for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? '', pattern)
}

const assertFine = async (files: Record<string, string>) => assert.deepEqual(await faultsOf(files), [])

const assertAbove = (folder: string, upper: string, lower: string) =>
  assertBroken(
    { [`${folder}/${lower}`]: `import '${pathBetween(folder, lower, upper)}'`, [`${folder}/${upper}`]: '' },
    new RegExp(`${lower}:1 ${partName(lower)} imports ${partName(upper)}, which is above it$`),
  )

function pathBetween(folder: string, from: string, to: string): string {
  const path = posix.relative(posix.dirname(posix.join(folder, from)), posix.join(folder, to))
  return path.startsWith('.') ? path : `./${path}`
}

const partName = (path: string) => path.split('/')[0]

test('imports that point down are fine', () =>
  assertFine({
    'src/start/main.ts': "import '../config/config.ts'\nimport '../api/server.ts'",
    'src/config/config.ts': 'process.env.PORT',
    'src/kernel/problem.ts': "import '@masthead/contract/plans.ts'",
    'src/api/server.ts':
      "import 'fastify'\nimport '../accounts/sign-in.ts'\nimport type {} from '../config/config.ts'",
    'src/accounts/sign-in.ts': "import './store.ts'\nimport '../kernel/problem.ts'",
    'src/accounts/store.ts': "import '../database/open.ts'",
    'src/database/open.ts': "import 'node:sqlite'",
    'src/database/open.test.ts': "import '@masthead/testing/free-port.ts'\nprocess.env.CI",
  }))

test('a lower floor that imports an upper one is named, even for a type', () =>
  assertBroken(
    {
      'src/database/open.ts': "import type { A } from '../accounts/account.ts'",
      'src/accounts/account.ts': '',
    },
    /^packages\/server\/src\/database\/open\.ts:1 database imports accounts, which is above it$/,
  ))

test('the kernel imports nothing above it', () => assertAbove('src', 'events/emit.ts', 'kernel/problem.ts'))

test('neighbours on one floor do not import each other', () =>
  assertBroken(
    { 'src/api/server.ts': "import '../edge/listen.ts'", 'src/edge/listen.ts': '' },
    /api imports edge, its neighbour on the same floor$/,
  ))

test('a test may import what is above it', () =>
  assertFine({
    'src/database/open.test.ts': "import '../accounts/account.ts'",
    'src/accounts/account.ts': '',
  }))

test('a folder or a file without a floor is named', () =>
  assertBroken(
    { 'src/billing/bill.ts': "import './price.ts'", 'src/billing/price.ts': '', 'src/problem.ts': '' },
    /packages\/server\/src\/billing has no floor/,
    /packages\/server\/src\/problem\.ts has no floor/,
  ))

test('the API has floors', () => assertAbove('src/api', 'routes/projects.ts', 'request/json-body.ts'))
test('the edge has floors', () => assertAbove('src/edge', 'tls/tls-acceptor.ts', 'sites/host.ts'))
test('domains have floors', () => assertAbove('src/domains', 'checks/apply-check.ts', 'claims/add-domain.ts'))
test('certificates have floors', () => assertAbove('src/certificates', 'jobs/worker.ts', 'acme/order.ts'))
test('deployments have floors', () => assertAbove('src/deployments', 'upload/put.ts', 'archive/read-tar.ts'))
test('people have floors', () => assertAbove('src/people', 'sign-in/sign-in.ts', 'members.ts'))
test('limits have floors', () => assertAbove('src/limits', 'redis/redis-limiter.ts', 'decide.ts'))
test('the command line has floors', () =>
  assertAbove('packages/cli/src', 'commands/deploy.ts', 'terminal/output.ts'))
test('the domains page has floors', () =>
  assertAbove('packages/dashboard/src/pages/project/settings/domains', 'add/add.tsx', 'state/state.ts'))
test('the test peers have floors', () => assertAbove('testing', 'clients/http.ts', 'peers/redis.ts'))

test('a file that the table does not name has the floor of its folder', () =>
  assertBroken(
    { 'src/domains/schedule.ts': "import './checks/check.ts'", 'src/domains/checks/check.ts': '' },
    /schedule\.ts imports checks, which is above it$/,
  ))

test('types may point up inside the command line, values may not', () =>
  assertBroken(
    {
      'packages/cli/src/arguments/command.ts': "import type { CommandContext } from '../context.ts'",
      'packages/cli/src/arguments/parse.ts': "import '../context.ts'",
      'packages/cli/src/context.ts': '',
    },
    /arguments\/parse\.ts:1 arguments imports context\.ts, which is above it$/,
  ))

test('two folders that share a floor as one part may import each other', () =>
  assertFine({
    'packages/cli/src/errors/failure.ts': "import '../terminal/format.ts'",
    'packages/cli/src/terminal/ask.ts': "import '../errors/command-error.ts'",
    'packages/cli/src/errors/command-error.ts': '',
    'packages/cli/src/terminal/format.ts': '',
  }))

test("another feature's store is private at any depth, also for types", () =>
  assertBroken(
    {
      'src/projects/create.ts':
        "import type { A } from '../accounts/store.ts'\nimport '../people/sign-in/session-store.ts'",
      'src/start/main.ts': "import '../api/idempotency-store.ts'\nimport '../lab/store.ts'",
      'src/accounts/store.ts': '',
      'src/people/sign-in/session-store.ts': '',
      'src/api/idempotency-store.ts': '',
      'src/lab/store.ts': '',
    },
    /create\.ts:1 may not import packages\/server\/src\/accounts\/store\.ts: only a feature itself/,
    /create\.ts:2 may not import .*\/people\/sign-in\/session-store\.ts: only a feature itself/,
    /main\.ts:1 may not import .*\/api\/idempotency-store\.ts: only a feature itself/,
    /main\.ts:2 may not import .*\/lab\/store\.ts: only a feature itself/,
  ))

test('every folder of a feature may import its store', () =>
  assertFine({
    'src/domains/claims/add-domain.ts': "import '../store.ts'",
    'src/domains/read.ts': "import './config/store.ts'",
    'src/domains/store.ts': '',
    'src/domains/config/store.ts': '',
  }))

test('everyone may import the store of files', () =>
  assertFine({
    'src/start/main.ts': "import '../blobs/files/file-store.ts'",
    'src/blobs/files/file-store.ts': '',
  }))

test('the edge imports only the read.ts of a feature, and types', () =>
  assertBroken(
    {
      'src/edge/a.ts': "import '../projects/read.ts'\nimport type { P } from '../projects/project.ts'",
      'src/edge/b.ts': "import '../projects/project.ts'",
      'src/projects/read.ts': '',
      'src/projects/project.ts': '',
    },
    /edge\/b\.ts:1 may not import .*project\.ts: the edge reads features/,
  ))

test('the configuration is passed in, not imported', () =>
  assertBroken(
    { 'src/api/server.ts': "import { config } from '../config/config.ts'", 'src/config/config.ts': '' },
    /api\/server\.ts:1 may not import packages\/server\/src\/config\/config\.ts/,
  ))

test('certificates do not know domains', () =>
  assertBroken(
    {
      'src/certificates/issue.ts': "import type {} from '../domains/domain.ts'",
      'src/domains/domain.ts': '',
    },
    /certificates imports domains, which is above it/,
    /may not import .*domain\.ts: certificates know hostnames/,
  ))

test('a DNS check does not read the database', () =>
  assertBroken(
    {
      'src/domains/dns-check/judge.ts': "import '../../database/open.ts'\nimport '../store.ts'",
      'src/database/open.ts': '',
      'src/domains/store.ts': '',
    },
    /judge\.ts:1 may not import .*database\/open\.ts: a DNS check/,
    /judge\.ts:2 may not import .*domains\/store\.ts: a DNS check/,
  ))

test('the layout never imports pages', () =>
  assertAbove('packages/dashboard/src', 'pages/keys/keys-page.tsx', 'layout/frame.tsx'))

test('what the dashboard loads knows neither layout nor pages', () =>
  assertAbove('packages/dashboard/src', 'layout/account-scope.tsx', 'data/events.ts'))

test('the parts of the interface know nothing of the product, nor do their tests', () =>
  assertBroken(
    {
      'packages/dashboard/src/ui/button.tsx': "import '../data/events.ts'",
      'packages/dashboard/src/ui/button.test.tsx': "import '../pages/keys-page.tsx'",
      'packages/dashboard/src/data/events.ts': '',
      'packages/dashboard/src/pages/keys-page.tsx': '',
    },
    /button\.test\.tsx:1 ui imports pages, which is above it$/,
    /button\.tsx:1 ui imports data, which is above it$/,
  ))

test('the command line and the dashboard import schemas as types only', () =>
  assertBroken(
    {
      'packages/cli/src/commands/lab.ts': "import '@masthead/contract/schemas/lab.ts'",
      'packages/dashboard/src/data/lab.ts': "import type { L } from '@masthead/contract/schemas/lab.ts'",
      'packages/cli/src/project/parse-project-file.ts': "import '@masthead/contract/project-file.ts'",
      'packages/contract/src/schemas/lab.ts': '',
      'packages/contract/src/project-file.ts': '',
    },
    /commands\/lab\.ts:1 may not import .*schemas\/lab\.ts: it loads zod/,
  ))

test('the environment is read in one place', () =>
  assertBroken(
    { 'src/api/server.ts': '\nconst { PORT } = process.env' },
    /api\/server\.ts:2 reads the environment/,
  ))

test('a package that may not import another is named with the reason', () =>
  assertBroken(
    { 'packages/cli/src/run.ts': "import '@masthead/server/src/start/main.ts'", 'src/start/main.ts': '' },
    /packages\/cli\/src\/run\.ts:1 imports packages\/server: the command line is only a client/,
  ))

test('a relative path into another package is refused', () =>
  assertBroken(
    { 'src/start/main.ts': "import '../../../contract/src/plans.ts'" },
    /main\.ts:1 reaches packages\/contract\/src\/plans\.ts by a relative path/,
  ))

test('an undeclared dependency is named with the file that should list it', () =>
  assertBroken(
    { 'src/api/server.ts': "import 'left-pad/lib.js'" },
    /imports left-pad, which packages\/server\/package\.json does not list$/,
  ))

test('an import of a missing file is named', () =>
  assertBroken({ 'src/start/main.ts': "import './gone.ts'" }, /imports \.\/gone\.ts, which does not exist/))

test('a cycle is printed, even one of types', () =>
  assertBroken(
    {
      'src/accounts/a.ts': "import type { B } from './b.ts'",
      'src/accounts/b.ts': "export * from './c.ts'",
      'src/accounts/c.ts': "import('./a.ts')",
    },
    /is part of a cycle: \S+a\.ts → \S+b\.ts → \S+c\.ts → \S+a\.ts$/,
  ))
