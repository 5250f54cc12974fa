import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { PacedLoad } from '@masthead/testing/load/paced-load.ts'
import { serverProgram } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'

/** The process has its own id in the environment, as systemd sets it. */
const asSystemdDoes = 'LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"'

/** A socket that is bound and never accepts here. Node has no documented way to open one. */
function openSocket(port: number): { close(): void } {
  const { _createServerHandle: open } = net as unknown as {
    _createServerHandle(address: string, port: number, family: 4, fd: -1): { close(): void }
  }
  return open('127.0.0.1', port, 4, -1)
}

for (const workers of ['1', '2']) {
  test(`while a server restarts on sockets that systemd keeps open, visitors wait (${workers} edge)`, {
    timeout: 120_000,
  }, async () => {
    await using folder = await temporaryFolder('activation')
    const httpPort = await freePort()
    const httpsPort = await freePort()
    const sockets = [openSocket(httpPort), openSocket(httpsPort)]
    let output = ''
    const start = async () => {
      const child = spawn('sh', ['-c', asSystemdDoes, 'sh', process.execPath, serverProgram], {
        stdio: ['ignore', 'pipe', 'pipe', ...(sockets as never[])],
        env: {
          PATH: process.env.PATH,
          HOME: folder.path,
          MASTHEAD_DATA: folder.path,
          MASTHEAD_HTTP_PORT: String(httpPort),
          MASTHEAD_HTTPS_PORT: String(httpsPort),
          MASTHEAD_LAB_PORT: 'off',
          MASTHEAD_WORKERS: workers,
        },
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      }
      await until(() => child.exitCode !== null || output.includes('Masthead is running'))
      assert.equal(child.exitCode, null, output)
      return async () => {
        output = ''
        child.kill('SIGTERM')
        const [code] = await once(child, 'exit')
        assert.equal(code, 0, output)
      }
    }

    let stop = await start()
    const target = { httpPort, httpsPort, host: 'hello.masthead.localhost', path: '/', root: '' }
    const isRight = (page: string) => page.includes('<html')
    await using load = new PacedLoad(
      { ...target, isRight },
      { visitors: 6, perSecond: 60, protocols: ['plain'] },
    )
    await until(() => load.answered > 60)
    await stop()
    stop = await start()
    const answered = load.answered
    await until(() => load.answered > answered + 60)
    const { failures, repeated } = await load.stop()
    await stop()
    for (const socket of sockets) socket.close()
    assert.deepEqual({ failures, repeated }, { failures: [], repeated: [] })
  })
}
