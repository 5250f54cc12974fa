import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '@masthead/testing/free-port.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))

/** A running program whose output the test can wait for. */
function run(command: string[], env: Record<string, string>) {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: repository, env: { ...process.env, ...env } })
  killOnExit(child)
  let output = ''
  const changed = new EventTarget()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed.dispatchEvent(new Event('output'))
    })
  }
  const ended = once(child, 'close').then(([code]) => {
    changed.dispatchEvent(new Event('output'))
    return code as number | null
  })
  return {
    ended,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
    async waitFor(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(output)
        if (found !== null) return found[1] ?? found[0]
        if (child.exitCode !== null)
          throw new Error(`${command.join(' ')} ended without printing ${pattern}:\n${output}`)
        await once(changed, 'output')
      }
    },
  }
}

test('the first minute: start, open the link, see the sample, deploy a folder, open it', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using home = await temporaryFolder('masthead-journey')
  const folder = join(home.path, 'some-folder')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Mine</title><h1>My own page</h1>')
  await writeFile(join(folder, 'about.html'), '<!doctype html><title>About</title><h1>About me</h1>')

  const port = String(await freePort())
  await using server = run(['npm', 'start'], {
    MASTHEAD_DATA: join(home.path, 'data'),
    MASTHEAD_HTTP_PORT: port,
    MASTHEAD_HTTPS_PORT: String(await freePort()),
  })
  await server.waitFor(/Starting the server\./)
  const link = await server.waitFor(/(http:\/\/localhost:\d+\/welcome#\S+)/)

  await using browser = await startChromium()
  const page = await browser.context.newPage()
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  await page.goto(link)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('a long password')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByRole('link', { name: `hello.masthead.localhost:${port}` }).waitFor()

  await page.goto(`http://hello.masthead.localhost:${port}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.match(await page.title(), /Hello/)

  const environment = {
    MASTHEAD_SERVER: `http://localhost:${port}`,
    HOME: home.path,
    XDG_CONFIG_HOME: join(home.path, 'config'),
    BROWSER: 'true',
    NO_COLOR: '1',
    TERM: 'xterm',
  }
  const deployAtTerminal = () =>
    run(
      ['script', '--quiet', '--return', '--command', `npx masthead deploy '${folder}'`, '/dev/null'],
      environment,
    )
  await using deploy = deployAtTerminal()
  const code = await deploy.waitFor(/\/cli#([B-Z]{4}-[B-Z]{4})/)
  await page.goto(`http://localhost:${port}/cli#${code}`)
  await page.getByText(code).waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  assert.equal(await deploy.ended, 0, deploy.output())
  assert.match(deploy.output(), /Published some-folder: 2 files, 2 uploaded/)
  const url = await deploy.waitFor(/(http:\/\/some-folder\.masthead\.localhost:\d+)/)

  await page.goto(`${url}/about.html`)
  await page.getByRole('heading', { name: 'About me' }).waitFor()
  assert.equal(page.url(), `${url}/about`)

  await using again = deployAtTerminal()
  assert.equal(await again.ended, 0, again.output())
  assert.match(again.output(), /Published some-folder: 2 files, nothing new/)

  await page.goto(`http://localhost:${port}`)
  await page.getByRole('link', { name: `some-folder.masthead.localhost:${port}` }).waitFor()
  assert.deepEqual(pageErrors, [])
})
