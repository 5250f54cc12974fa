import { ConnectionError, ProblemError, UnexpectedAnswerError } from './errors.ts'
import { type AnyFetch, buildRequest, type CallerOptions, callerHeaders } from './request.ts'
import { readResponse } from './response.ts'

/** The server sends something every 15 seconds; a connection that is silent for longer is dead. */
const longestSilence = 45_000

interface StreamOptions extends CallerOptions {
  server: string
  fetch?: AnyFetch
}

/** Throws if the stream cannot be opened or breaks. Ends when the server ends it. */
export async function* streamChanges(
  { server, fetch = globalThis.fetch, ...caller }: StreamOptions,
  signal?: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  const ending = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const watchSilence = () => {
    clearTimeout(timer)
    timer = setTimeout(() => ending.abort(new Error('silence')), longestSilence)
  }
  const headers = { accept: 'text/event-stream', ...callerHeaders(caller) }
  try {
    watchSilence()
    const response = await fetch(buildRequest(server, 'streamChanges', {}).url, {
      headers,
      signal: AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]),
    })
    if (!response.ok || response.body === null) return void (await readResponse(server, response, Date.now()))
    const changes = changesIn(response.body, watchSilence).getReader()
    while (!(await changes.read()).done) yield
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ProblemError || error instanceof UnexpectedAnswerError) throw error
    throw new ConnectionError(server, error)
  } finally {
    clearTimeout(timer)
    ending.abort()
  }
}

/** At most one change waits to be read: a busy reader has missed nothing by then. */
function changesIn(body: ReadableStream<Uint8Array>, onBytes: () => void): ReadableStream<null> {
  const pump = async (controller: ReadableStreamDefaultController<null>) => {
    const bytes = body.getReader()
    for (let read = await bytes.read(); !read.done; read = await bytes.read()) {
      onBytes()
      if (!isComment(read.value) && (controller.desiredSize ?? 0) > 0) controller.enqueue(null)
    }
    controller.close()
  }
  return new ReadableStream(
    {
      start(controller) {
        pump(controller).catch((error: unknown) => controller.error(error))
      },
    },
    { highWaterMark: 1 },
  )
}

/** What keeps the connection alive. */
function isComment(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes).trim() === ':'
}
