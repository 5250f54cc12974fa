import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { OutgoingRequest } from '@masthead/client/request.ts'
import { command } from '../arguments/command.ts'
import { parseFields } from '../arguments/fields.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { confirm } from '../terminal/ask.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const api = command({
  name: 'api',
  summary: 'Send any request to the API',
  usage: ['api METHOD PATH [FIELD=VALUE]… [FIELD:=JSON]…', 'api METHOD PATH --input FILE [--type TYPE]'],
  about: [
    'Fields become the JSON body, or the query of GET and DELETE. VALUE is text; after := it is JSON. The answer is\nprinted as it is, and other commands with --json print the same. DELETE asks first. /docs of your server\nlists every request.',
  ],
  options: {
    input: { type: 'string', value: 'FILE', help: 'send this file as the body; - is standard input' },
    type: { type: 'string', value: 'TYPE', help: 'content type of the file (default: application/json)' },
  },
  examples: [
    ['masthead api GET /v1/projects limit=5', 'with a query'],
    ['masthead api PATCH /v1/projects/my-site singlePage:=true', 'change a setting'],
    ['masthead api PUT /v1/account/plan --input plan.json', 'with a body from a file'],
  ],
  words: 1_000,
  async run(context, values, [method = '', path = '', ...fields]) {
    const request = await readRequest(context, { method, path, fields, ...values })
    if (request.method === 'DELETE') {
      const { pathname } = request.url
      if (!(await confirm(`Send DELETE ${pathname}?`, context))) {
        throw new CommandError('kept', 'Nothing was sent.', '')
      }
    }
    const send = await context.sender()
    const answer = await send(request, { signal: context.signal })
    const text = typeof answer === 'string' ? answer.trimEnd() : JSON.stringify(answer, null, 2)
    return { document: answer ?? null, text: text ?? '' }
  },
})

interface Typed {
  method: string
  path: string
  fields: readonly string[]
  input?: string
  type?: string
}

async function readRequest(context: CommandContext, typed: Typed): Promise<OutgoingRequest> {
  const method = methods.find((name) => name === typed.method.toUpperCase())
  const url = urlOf(context.server, typed.path)
  if (method === undefined || url === null) {
    throw usageError(
      method === undefined
        ? `"${typed.method}" is not a method: use ${methods.join(', ')}.`
        : `"${typed.path}" is not a path of the API.`,
      'Use `masthead api GET /v1/projects`.',
    )
  }
  if (url.pathname === '/v1/stream') {
    throw usageError('A stream of events has no end to wait for.', 'Read it with `curl --no-buffer`.')
  }
  const request = {
    method,
    url,
    contentType: null,
    body: null,
    replayable: true,
    versioned: false,
    once: method === 'POST',
  }
  if (typed.input !== undefined) {
    if (typed.fields.length > 0)
      throw usageError('Use either fields or --input.', 'See `masthead api --help`.')
    return {
      ...request,
      contentType: typed.type ?? 'application/json',
      body: await read(context, typed.input),
    }
  }
  const fields = parseFields(typed.fields)
  if (method === 'GET' || method === 'DELETE') {
    for (const [name, value] of Object.entries(fields)) {
      url.searchParams.append(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return request
  }
  if (typed.fields.length === 0) return request
  return { ...request, contentType: 'application/json', body: JSON.stringify(fields) }
}

/** Only paths of this server: the key must not go anywhere else. */
function urlOf(server: string, path: string): URL | null {
  if (!path.startsWith('/v1/')) return null
  const url = new URL(server + path)
  return url.origin === server && url.pathname.startsWith('/v1/') ? url : null
}

async function read({ cwd, signal }: CommandContext, input: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = input === '-' ? buffer(addAbortSignal(signal, process.stdin)) : readFile(resolve(cwd, input))
  return new Uint8Array(
    await bytes.catch((error: NodeJS.ErrnoException) => {
      throw usageError(`${input} cannot be read (${error.code}).`, 'Choose another file with --input.')
    }),
  )
}
