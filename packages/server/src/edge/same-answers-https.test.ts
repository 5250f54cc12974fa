import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { askStream, startHttps } from './https.test-kit.ts'
import { get, publishAll, requests, withoutTime } from './same-answers.test-kit.ts'

const close = 'Connection: close\r\n'
const methods = ['GET', 'HEAD']

async function plainly(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  return (await buffer(socket)).toString('latin1')
}

/** An HTTP/1.1 answer without what HTTP/2 does not have. */
function divide(answer: string): { status: number; fields: string[]; body: string } {
  const end = answer.indexOf('\r\n\r\n')
  const [line = '', ...lines] = answer.slice(0, end).split('\r\n')
  const fields = lines.map((field) => field.replace(/^[^:]+/, (name) => name.toLowerCase()))
  return {
    status: Number(line.split(' ')[1]),
    fields: fields.filter((field) => !/^(connection|date):/.test(field)),
    body: answer.slice(end + 4),
  }
}

/** Up to the next one on its connection. */
function firstAnswerLength(answers: string, method: string): number {
  const bodyStart = answers.indexOf('\r\n\r\n') + 4
  const head = answers.slice(0, bodyStart)
  if (method === 'HEAD' || head.startsWith('HTTP/1.1 304')) return bodyStart
  const [, length] = /\r\nContent-Length: (\d+)\r\n/.exec(head) ?? assert.fail(head)
  return bodyStart + Number(length)
}

/** Header fields in HTTP/1.1 style. */
function sent(fields: string): Record<string, string> {
  const lines = fields.split('\r\n').filter((line) => line !== '')
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)))
}

async function overHttp2(
  session: ClientHttp2Session,
  host: string,
  path: string,
  fields: string,
  method: string,
) {
  const asked = { ':method': method, ':authority': host, ...sent(fields) }
  const { status, headers, body } = await askStream(session, path, asked)
  const { ':status': _status, date: _date, ...rest } = headers
  return {
    status,
    fields: Object.entries(rest).map(([name, value]) => `${name}: ${value}`),
    body: body.toString('latin1'),
  }
}

test('a request gets the same answer over plain HTTP, HTTPS and HTTP/2', async () => {
  await using edge = await startHttps()
  const fieldLists = await publishAll(edge)
  await edge.certify(...requests.map(([host]) => host))
  for (const [host, paths] of requests) {
    const session = edge.openSession(host)
    // The next connections of a browser resume its first one, which costs half as much.
    const first = await edge.dial(host)
    const [resumed] = (await once(first, 'session')) as [Buffer]
    first.destroy()
    for (const path of paths) {
      const asked = fieldLists.flatMap((fields) => methods.map((method) => ({ method, fields })))
      const pipelined = asked.map(({ method, fields }, index) =>
        get(host, path, index < asked.length - 1 ? fields : fields + close, method),
      )
      const answers = await plainly(edge.plainPort, pipelined.join(''))
      if (!isLedElsewhere(host)) {
        const secure = await edge.exchange(pipelined.join(''), host, { session: resumed })
        assert.equal(withoutTime(secure), withoutTime(answers), `${host}${path}`)
      }
      let rest = answers
      for (const { method, fields } of asked) {
        const length = firstAnswerLength(rest, method)
        const { status, fields: plain, body } = divide(rest.slice(0, length))
        rest = rest.slice(length)
        const answer = await overHttp2(session, host, path, fields, method)
        assert.deepEqual(
          { ...answer, fields: answer.fields.sort() },
          { status, fields: plain.map(secured).sort(), body },
          `${method} ${host}${path} ${fields}`,
        )
      }
      assert.equal(rest, '')
    }
  }
})

/** The only difference: redirects from HTTPS lead to HTTPS. */
function isLedElsewhere(host: string): boolean {
  return host === 'acme.com'
}

function secured(field: string): string {
  return field.replace(/^location: http:\/\/(.*?):8080\//, 'location: https://$1:8443/')
}
