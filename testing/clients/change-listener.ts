import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'

/** The stream of changes as its reader has it. */
export interface ChangeListener extends AsyncDisposable {
  status: number
  headers: Headers
  /** The names of the events so far. */
  told: readonly string[]
  /** Resolves when so many events have come since the stream was opened, `hello` included. */
  toldTimes(times: number): Promise<void>
  /** Resolves when so many heartbeats have come from now on. */
  heartbeats(count: number): Promise<void>
  /** Resolves when the server has ended the stream as it should, rejects when it was cut off. */
  ended: Promise<void>
  leave(): Promise<void>
}

const timeoutMs = 10_000

export async function listenForChanges(
  origin: string,
  headers: Record<string, string>,
): Promise<ChangeListener> {
  const leaving = new AbortController()
  const answer = await fetch(`${origin}/v1/stream`, { headers, signal: leaving.signal })
  const text = (answer.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream())
  return follow(answer, text, () => leaving.abort())
}

/** As one of the streams of a connection that is open already. */
export async function listenOverHttp2(
  session: ClientHttp2Session,
  host: string,
  headers: Record<string, string>,
): Promise<ChangeListener> {
  const stream = session.request({ ':authority': host, ':path': '/v1/stream', ...headers })
  const [{ ':status': status, 'content-type': type }] = await once(stream, 'response')
  const answer = { status, headers: new Headers({ 'content-type': type }) }
  return follow(answer, stream.setEncoding('utf8'), () => stream.destroy())
}

function follow(
  { status, headers }: { status: number; headers: Headers },
  text: AsyncIterable<string>,
  stop: () => void,
): ChangeListener {
  const told: string[] = []
  let heartbeats = 0
  let hasLeft = false
  const ended = read()
  // Reported to those who wait for it; without them it must not crash the process.
  ended.catch(() => {})

  async function read(): Promise<void> {
    let unread = ''
    try {
      for await (const chunk of text) {
        const blocks = (unread + chunk).split('\n\n')
        unread = blocks.pop() ?? ''
        for (const block of blocks) {
          const name = /^event: (\w+)$/m.exec(block)?.[1]
          if (name === undefined) heartbeats++
          else told.push(name)
        }
      }
    } catch (error) {
      if (!hasLeft) throw error
    }
  }

  async function until(condition: () => boolean): Promise<void> {
    for (let waited = 0; !condition(); waited += 5) {
      assert.ok(waited < timeoutMs, `with ${heartbeats} heartbeats, it was told only: ${told.join(', ')}`)
      await sleep(5)
    }
  }

  async function leave(): Promise<void> {
    hasLeft = true
    stop()
    await ended.catch(() => {})
  }

  return {
    status,
    headers,
    told,
    ended,
    toldTimes: (times) => until(() => told.length >= times),
    heartbeats(count) {
      const before = heartbeats
      return until(() => heartbeats >= before + count)
    },
    leave,
    [Symbol.asyncDispose]: leave,
  }
}
