import { type IncomingMessage, request } from 'node:http'
import { connectToTarget, type Outgoing, readHead } from '../../outgoing/connect.ts'
import { isLoopbackTarget, parseTarget, TargetError } from '../../outgoing/target.ts'

const maxHeaderBytes = 16 * 1024

/** Gets a document of an issuer, however it behaves. `signal` ends it. Throws a TargetError if there is none. */
export async function fetchJson(
  outgoing: Omit<Outgoing, 'stopping'>,
  text: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<unknown> {
  const url = parseIssuerUrl(text, outgoing.rules)
  try {
    return await get({ ...outgoing, stopping: signal }, url, maxBytes, signal)
  } catch (error) {
    if (error instanceof TargetError && !signal.aborted) throw error
    throw new TargetError(
      signal.aborted ? `${url.host} did not answer in time` : `${url.host} cannot be asked`,
      { cause: error },
    )
  }
}

/** Like other targets, but without TLS only on this machine. */
export function parseIssuerUrl(text: string, rules: Outgoing['rules']): URL {
  const url = parseTarget(text, rules)
  if (url.protocol !== 'https:' && !isLoopbackTarget(url)) throw new TargetError('must start with https://')
  return url
}

async function get(outgoing: Outgoing, url: URL, maxBytes: number, signal: AbortSignal): Promise<unknown> {
  const socket = await connectToTarget(outgoing, url)
  const end = () => socket.destroy()
  signal.addEventListener('abort', end, { once: true })
  try {
    const req = request({
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, 'user-agent': 'Masthead', accept: 'application/json', connection: 'close' },
      createConnection: () => socket,
      maxHeaderSize: maxHeaderBytes,
    })
    const answer = await readHead(req.end(), signal)
    refuseStatus(answer, url)
    return parse(await readBody(answer, url, maxBytes), url)
  } finally {
    signal.removeEventListener('abort', end)
    socket.destroy()
  }
}

function refuseStatus({ statusCode = 0, headers }: IncomingMessage, { host }: URL): void {
  if (statusCode >= 300 && statusCode < 400) {
    throw new TargetError(`${host} answered with a redirect, which we do not follow`)
  }
  if (statusCode !== 200) throw new TargetError(`${host} answered with status ${statusCode}`)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new TargetError(`${host} answered with an encoding that we did not ask for`)
  }
}

async function readBody(answer: IncomingMessage, { host }: URL, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) throw new TargetError(`${host} answered with more than ${maxBytes / 1024} KiB`)
  }
  if (!answer.complete) throw new TargetError(`The answer of ${host} was cut off`)
  return Buffer.concat(chunks).toString()
}

function parse(text: string, { host }: URL): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TargetError(`${host} did not answer with JSON`, { cause: error })
  }
}
