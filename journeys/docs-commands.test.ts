import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createClient } from '@masthead/client/client.ts'
import { packTar } from '@masthead/client/upload.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { type DocBlock, nameOf, planTrials, readGuideBlocks, type Trial } from './docs-blocks.ts'
import { ended, runAsStranger } from './stranger.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))

test('every command, program and file in the guides works as it is shown', { timeout: 600_000 }, async () => {
  await using masthead = await MastheadProcess.start({
    env: { MASTHEAD_LAB_PORT: String(await freePort()) },
  })
  await using home = await temporaryFolder('masthead-reader')
  const desk = await prepareDesk(masthead, home.path)
  const { trials, faults } = planTrials(await readGuideBlocks(masthead.origin))
  for (const [block, trial] of trials) {
    const fault = await tryBlock(block, trial, desk).catch((error: Error) => error.message)
    if (fault !== null) faults.push(`${nameOf(block)}:\n${fault}`)
  }
  assert.deepEqual(faults, [])
})

interface Desk {
  origin: string
  home: string
  key: string
  env: Record<string, string>
  /** What is different on the reader's machine. */
  adapt: (text: string) => string
}

/** What the guides assume: a key, a project, a folder to publish, the operator's key. */
async function prepareDesk(masthead: MastheadProcess, home: string): Promise<Desk> {
  const { origin, dataFolder } = masthead
  const { key, createProject, publishArchive } = await createPublisher(masthead)
  const client = createClient({ server: origin, key })
  const page = Buffer.from('<!doctype html><title>Hello</title>')
  const archive = gzipSync(packTar([{ name: 'index.html', content: page }]))
  await createProject('my-site')
  await publishArchive('my-site', archive)
  await mkdir(join(home, 'dist'))
  await mkdir(join(home, 'bin'))
  await symlink(dataFolder, join(home, 'data'))
  for (const [file, content] of [
    ['dist/index.html', page],
    ['index.html', page],
    ['site.tar.gz', archive],
    ['plan.json', '{"plan": "business"}'],
    ['masthead.json', '{ "project": "my-site", "folder": "dist" }'],
    ['package.json', '{ "private": true }'],
    // An answer that is an error fails the command, so that it is noticed here.
    ['bin/curl', '#!/bin/sh\nexec /usr/bin/curl --fail-with-body --silent --show-error "$@"\n'],
  ] as const)
    await writeFile(join(home, file), content)
  await chmod(join(home, 'bin/curl'), 0o755)
  const { commandLine } = await client.getServer()
  await installed(`npm install --global --prefix ${home} ${commandLine?.url}`, home)
  // A name keeps its target when it is added again.
  const hostname = 'www.acme.localhost'
  const domain = await client.addDomain({ params: { project: 'my-site' }, body: { hostname } })
  const target = /\w+(?=\.cname\.)/.exec(JSON.stringify(domain.records))?.[0] ?? ''
  await client.removeDomain({ params: { project: 'my-site', hostname } })
  const { account } = await client.getWhoami()
  const [someKey] = (await client.listKeys()).items
  return {
    origin,
    home,
    key,
    env: {
      MASTHEAD_KEY: key,
      MASTHEAD_SERVER: origin,
      SECRET_FROM_YOUR_CI: key,
      ACCOUNT: account?.id ?? '',
      KEY: someKey?.id ?? '',
    },
    adapt: (text) =>
      text
        .replaceAll('k3v9x2m1qp', target)
        .replaceAll('/backups/masthead', join(home, 'backups'))
        .replaceAll('/var/lib/masthead', join(home, 'restored')),
  }
}

async function installed(line: string, home: string): Promise<void> {
  const { code, stderr } = await ended(runAsStranger(line, { cwd: home, home }))
  assert.equal(code, 0, stderr)
}

/** Null if it works, else what went wrong. */
async function tryBlock(block: DocBlock, trial: Trial, desk: Desk): Promise<string | null> {
  const text = desk.adapt(block.text)
  switch (trial.kind) {
    case 'commands':
      return runCommands(text, trial, desk)
    case 'program':
      await writeFile(join(desk.home, trial.file), text)
      return (
        (await checkTypes(trial.file, desk)) ?? runCommands(`node ${trial.file}`, { kind: 'commands' }, desk)
      )
    case 'site file': {
      const folder = join(desk.home, `site-${block.page.replaceAll(/\W/g, '-')}-${trial.file}`)
      await mkdir(join(folder, 'dist'), { recursive: true })
      await writeFile(join(folder, trial.file), text)
      return runCommands(`masthead rules check ${folder}`, { kind: 'commands' }, desk)
    }
    case 'answer':
      return compareAnswer(text, trial.of, desk)
    case 'not here':
      return null
  }
}

async function runCommands(
  text: string,
  { where, until: shown }: Extract<Trial, { kind: 'commands' }>,
  { home, env }: Desk,
): Promise<string | null> {
  const inCheckout = where === 'checkout'
  const child = runAsStranger(text, {
    cwd: inCheckout ? checkout : home,
    home,
    programs: [join(home, 'bin'), ...(inCheckout ? [join(checkout, 'node_modules/.bin')] : [])],
    env: inCheckout ? { ...env, MASTHEAD_DATA: join(home, 'data') } : env,
  })
  const end = ended(child)
  if (shown !== undefined) {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output += chunk
      })
    }
    await Promise.race([end, until(() => shown.test(output))])
    stopGroup(child)
    await end
    return shown.test(output) ? null : `${text}printed only\n${output}`
  }
  const hanging = setTimeout(() => stopGroup(child), longestBlockMs)
  const { code, stdout, stderr } = await end
  clearTimeout(hanging)
  return code === 0 ? null : `${text}ended with ${code}\n${stdout}${stderr}`
}

/** A block that waits for something forever is one fault, and the others are still tried. */
const longestBlockMs = 120_000

function stopGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid)
}

/** What an editor of the reader would say, with the strictest settings. */
async function checkTypes(file: string, { home }: Desk): Promise<string | null> {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
    ...{ allowJs: true, checkJs: true, module: 'nodenext', target: 'es2022' },
    ...{ types: ['node'], typeRoots: [join(checkout, 'node_modules/@types')] },
  }
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
  const program = join(checkout, 'node_modules/typescript/bin/tsc')
  const tsc = spawn(process.execPath, [program, '-p', home, '--singleThreaded'])
  const { code, stdout } = await ended(tsc)
  return code === 0 ? null : stdout
}

/** The example shows the headers and members that an answer really has. */
async function compareAnswer(text: string, path: string, { origin, key }: Desk): Promise<string | null> {
  const response = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } })
  const headers = [...text.matchAll(/^([A-Z][\w-]+): /gm)].map(([, name = '']) => name)
  const missing = headers.filter((name) => !response.headers.has(name))
  const [json] = /^\{[\s\S]*\}$/m.exec(text) ?? []
  const answer = (await response.json()) as object
  if (json !== undefined) assert.deepEqual(Object.keys(answer).sort(), Object.keys(JSON.parse(json)).sort())
  return missing.length === 0 ? null : `The answer has no ${missing.join(', ')}`
}
