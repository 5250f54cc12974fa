import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from './run-masthead.ts'
import type { Workplace } from './workplace.ts'

interface Assistant {
  args?: string[]
  env?: Record<string, string>
  /** Where the program is started; the workplace by default. */
  cwd?: string
  /** How the person answers, one question after the other. Without it, the assistant cannot ask. */
  answers?: readonly { action: 'accept' | 'decline' | 'cancel'; content?: { agree: boolean } }[]
  /** The protocol before and since revision 2026-07-28. */
  mode?: 'legacy' | 'auto'
}

/** An assistant with the protocol's own client. */
export async function assist(
  place: Workplace,
  { args = [], env = {}, cwd = place.path, answers, mode = 'auto' }: Assistant = {},
) {
  const asked: string[] = []
  const client = new Client(
    { name: 'assistant', version: '1' },
    {
      capabilities: answers === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode },
    },
  )
  if (answers !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return answers[asked.length - 1] ?? { action: 'cancel' }
    })
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd,
    env: { HOME: place.path, PATH: process.env.PATH ?? '', ...place.signedIn, ...env },
    stderr: 'pipe',
  })
  await client.connect(transport)
  return {
    client,
    asked,
    tools: async () => (await client.listTools()).tools,
    async call(name: string, given: Record<string, unknown> = {}) {
      const {
        content,
        structuredContent,
        isError = false,
      } = await client.callTool({
        name,
        arguments: given,
      })
      const [first] = content as { text: string }[]
      return { isError, text: first?.text ?? '', structuredContent }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
