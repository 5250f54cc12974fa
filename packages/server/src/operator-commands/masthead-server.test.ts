import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { operatorCommands } from './masthead-server.ts'
import { runHere as run } from './run-program.test-kit.ts'

const repository = join(import.meta.dirname, '../../../..')

test('--help lists every command, and each explains itself', async () => {
  for (const args of [['--help'], ['-h']]) {
    const { status, stdout, stderr } = await run(args)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    for (const { name, summary } of operatorCommands) {
      assert.match(stdout, new RegExp(`^ {2}${name} +${summary}$`, 'm'))
    }
  }
  for (const { name, load } of operatorCommands) {
    const { name: loaded, usage } = await load()
    assert.equal(loaded, name)
    assert.match(usage, new RegExp(`npx masthead-server ${name}`))
    for (const args of [
      [name, '--help'],
      ['help', name],
    ])
      assert.deepEqual(await run(args), { status: 0, stdout: usage, stderr: '' })
  }
})

test('without a command it lists them too, as an error', async () => {
  const { status, stdout, stderr } = await run([])
  assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
  assert.match(stderr, /rotate-master-key/)
})

test('a misspelled command is answered with the one that was meant', async () => {
  assert.deepEqual(await run(['rotate-masterkey']), {
    status: 2,
    stdout: '',
    stderr: 'Unknown command "rotate-masterkey". Did you mean rotate-master-key?\n',
  })
  assert.match(
    (await run(['publish'])).stderr,
    /^Unknown command "publish"\. See: npx masthead-server --help$/m,
  )
})

test('arguments a command does not know are refused before it starts', async () => {
  for (const argument of ['--force', 'now'])
    assert.match(
      (await run(['rotate-master-key', argument])).stderr,
      /^Unknown (option|argument) '?(--force|now)'?\. See: npx masthead-server rotate-master-key --help$/m,
    )
})

test('what the operator has to fix is said without a stack', async () => {
  await using folder = await temporaryFolder()
  const env = { MASTHEAD_DATA: join(folder.path, 'none') }
  for (const { status, stderr } of [
    await run(['rotate-master-key'], env),
    await run(['change-account-key'], { ...env, MASTHEAD_HTTP_PORT: 'high' }),
    await run(['rotate-master-key'], {
      MASTHEAD_DATA: folder.path,
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
    }),
  ]) {
    assert.equal(status, 1)
    assert.match(stderr, /does not exist|MASTHEAD_HTTP_PORT|Nothing answers at this address/)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
})

test('the operator key is replaced, unless a variable says it', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'operator.key')
  const env = { MASTHEAD_DATA: folder.path }
  const { status, stdout } = await run(['replace-operator-key'], env)
  assert.equal(status, 0)
  const key = (await readFile(path, 'utf8')).trim()
  assert.match(key, /^[\w-]{43}$/)
  assert.ok(stdout.includes(path) && !stdout.includes(key))
  const given = { ...env, MASTHEAD_OPERATOR_KEY: 'chosen by the operator, with spaces' }
  const refused = await run(['replace-operator-key'], given)
  assert.match(refused.stderr, /^The operator key is set in MASTHEAD_OPERATOR_KEY\. Change it there/)
  assert.equal((await readFile(path, 'utf8')).trim(), key)
})

test('the programs from before are still where they were', async () => {
  await using folder = await temporaryFolder()
  for (const name of ['rotate-master-key', 'change-account-key']) {
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
      env: { ...programEnvironment, MASTHEAD_DATA: join(folder.path, 'none') },
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stderr, /does not exist\. Run this with the server's settings\./)
  }
})

test('the built program runs unless its sources are newer', async () => {
  await using folder = await temporaryFolder()
  const programs = {
    source: join(folder.path, 'server/src/operator-commands/masthead-server.ts'),
    built: join(folder.path, 'server/dist/operator-commands/masthead-server.js'),
  }
  const rules = join(folder.path, 'contract/src/rules.ts')
  const bin = join(folder.path, 'server/bin/masthead-server.js')
  for (const file of [...Object.values(programs), rules, bin]) await mkdir(dirname(file), { recursive: true })
  await writeFile(rules, '')
  await writeFile(join(folder.path, 'server/package.json'), '{ "type": "module" }')
  await copyFile(join(repository, 'packages/server/bin/masthead-server.js'), bin)
  const run = () => spawnSync(process.execPath, [bin], { encoding: 'utf8' }).stdout
  const main = (name: string) => `export async function main() { process.stdout.write('${name}'); return 0 }`
  await writeFile(programs.source, main('source'))
  assert.equal(run(), 'source')

  await writeFile(programs.built, main('built'))
  for (const [file, at] of [
    [programs.source, 1],
    [rules, 1],
    [programs.built, 2],
  ] as const)
    await utimes(file, at, at)
  assert.equal(run(), 'built')
  await utimes(rules, 3, 3)
  assert.equal(run(), 'source')
})

test('npx finds it in a checkout, with whatever Node.js the machine has', async () => {
  const { bin } = JSON.parse(await readFile(join(repository, 'packages/server/package.json'), 'utf8'))
  assert.deepEqual(bin, { 'masthead-server': 'bin/masthead-server.js' })
  const withoutOurs = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules') && folder !== dirname(process.execPath))
    .join(delimiter)
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'masthead-server', '--help'], {
    cwd: repository,
    env: { PATH: withoutOurs, HOME: process.env.HOME },
    encoding: 'utf8',
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  assert.match(stdout, /rotate-master-key/)
})
