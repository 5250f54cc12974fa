import { Transform } from 'node:stream'
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

/** How long requests may take after the end of the input. */
const longestDrainMs = 60_000

/**
 * Serves standard input and output until the input has ended and what was asked before is answered, or the signal
 * aborts. Nothing of it keeps the process running afterwards.
 */
export async function serveUntilAnswered(create: () => McpServer, signal: AbortSignal): Promise<void> {
  const unanswered = new Set<unknown>()
  let onAnswer = () => {}
  let timer: NodeJS.Timeout | undefined
  // The transport of the library closes with its input, and drops answers that come later.
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush(done) {
      const stop = () => {
        clearTimeout(timer)
        onAnswer = () => {}
        done()
      }
      timer = setTimeout(stop, longestDrainMs)
      onAnswer = () => unanswered.size === 0 && stop()
      // The last requests are read only now.
      setImmediate(() => onAnswer())
    },
  })
  const transport = new StdioServerTransport(process.stdin.pipe(input), process.stdout)
  const serving = serveStdio(create, { transport })
  const receive = transport.onmessage
  transport.onmessage = (message: JSONRPCMessage) => {
    const canceled = canceledId(message)
    if (canceled !== undefined) unanswered.delete(canceled)
    else if (isRequest(message)) unanswered.add(message.id)
    receive?.(message)
  }
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    await send(message)
    if ('id' in message && !isRequest(message)) unanswered.delete(message.id)
    onAnswer()
  }
  await new Promise<void>((resolve) => {
    const closed = transport.onclose
    transport.onclose = () => {
      closed?.()
      resolve()
    }
    const stop = () => void serving.close().finally(resolve)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  clearTimeout(timer)
  process.stdin.unpipe(input).destroy()
}

function isRequest(
  message: JSONRPCMessage,
): message is Extract<JSONRPCMessage, { id: unknown; method: string }> {
  return 'id' in message && 'method' in message
}

function canceledId(message: JSONRPCMessage): unknown {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  return message.params?.requestId
}
