import type { Client } from '@masthead/client/client.ts'
import type { AnyCallInput } from '@masthead/client/request.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { describeFailure } from '../errors/failure.ts'
import { serveUntilAnswered } from './stdio.ts'
import { type EndpointTool, endpointTools, requestParts } from './tools.ts'

export interface McpParts {
  version: string
  /** Of the Masthead server. */
  server: string
  allowed: ReadonlySet<Scope>
  /** Whether nobody is asked, whatever a tool does. */
  yes: boolean
  signal: AbortSignal
  /** Changes the commands in a text to what the person has to type. */
  asTyped: (text: string) => string
  client: () => Promise<Client>
  /** Publishes a folder and returns what `masthead deploy --json` prints. */
  publish: (input: Publication, signal: AbortSignal) => Promise<unknown>
  /** The primary domain and the redirects that publishing the folder would set. */
  domainsIn: (folder: string) => Promise<unknown>
}

const publication = z.strictObject({
  folder: z
    .string()
    .min(1)
    .default('.')
    .meta({ description: 'A folder in the working directory of this program' }),
  project: z
    .string()
    .optional()
    .meta({ description: 'Slug or id; without it the one in masthead.json, or one named after the folder' }),
  preview: z
    .boolean()
    .default(false)
    .meta({ description: 'Publish under an address of its own and leave the live site as it is' }),
})

/** Where tools may change domains. */
const publicationWithDomains = publication.extend({
  domains: z
    .boolean()
    .default(false)
    .meta({ description: 'Also set the domains of the project file; the person is asked first' }),
})

export type Publication = z.output<typeof publication> & { domains?: boolean }

/** Serves tools over standard input and output until the assistant closes them. */
export function serveTools(parts: McpParts): Promise<void> {
  return serveUntilAnswered(() => createServer(parts), parts.signal)
}

function createServer(parts: McpParts): McpServer {
  const { version, server, allowed } = parts
  const mcp = new McpServer(
    { name: 'masthead', title: 'Masthead', version },
    {
      instructions:
        `Publishes folders as sites on ${server}, and manages their domains. ` +
        `Lists come in pages: pass \`next\` as \`cursor\`. A tool that deletes or costs something asks the person first.`,
    },
  )
  for (const tool of endpointTools(allowed)) registerEndpoint(mcp, tool, parts)
  if (allowed.has('deploy')) registerPublish(mcp, parts)
  return mcp
}

function registerEndpoint(mcp: McpServer, tool: EndpointTool, parts: McpParts): void {
  const { client, yes } = parts
  const { name, description, input, readOnly, asksFirst } = tool
  const annotations = { readOnlyHint: readOnly, destructiveHint: asksFirst, openWorldHint: false }
  mcp.registerTool(name, { description, inputSchema: input, annotations }, async (given, context) => {
    if (asksFirst && !yes) {
      const answer = confirmation(context)
      if (answer === 'missing') return canAsk(mcp, context) ? askFirst(tool, given) : cannotAsk(parts)
      if (answer === 'no') return declined
    }
    return attempt(parts, async () => {
      const call = (await client())[tool.endpoint as keyof Client] as (
        input: AnyCallInput,
      ) => Promise<unknown>
      return call({ ...requestParts(tool, given), signal: context.mcpReq.signal })
    })
  })
}

function registerPublish(mcp: McpServer, parts: McpParts): void {
  const { publish, domainsIn, allowed, yes } = parts
  const description = 'Publish a folder: upload its files and go live with them, or show a preview.'
  const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
  const inputSchema = allowed.has('domains') ? publicationWithDomains : publication
  mcp.registerTool(
    'publish_folder',
    { description, inputSchema, annotations },
    async (given: Publication, context) => {
      if (given.domains === true && !yes) {
        const answer = confirmation(context)
        if (answer === 'missing') {
          if (!canAsk(mcp, context)) return cannotAsk(parts)
          // The folder may be outside, or its project file broken: publishing says so.
          const domains = await domainsIn(given.folder).catch(() => null)
          return askFirst({ description }, { ...given, domains })
        }
        if (answer === 'no') return declined
      }
      return attempt(parts, () => publish(given, context.mcpReq.signal))
    },
  )
}

const agreement = z.object({
  agree: z.boolean().meta({ title: 'Go ahead', description: 'There may be no way back.' }),
})

function confirmation({ mcpReq: { inputResponses } }: ServerContext): 'missing' | 'yes' | 'no' {
  if (inputResponse(inputResponses, 'agreement').kind === 'missing') return 'missing'
  return acceptedContent(inputResponses, 'agreement', agreement)?.agree === true ? 'yes' : 'no'
}

/** The capabilities are of the request, or with older revisions of the connection. */
function canAsk(mcp: McpServer, { mcpReq: { envelope } }: ServerContext): boolean {
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
  const { elicitation } = (declared as ClientCapabilities) ?? mcp.server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

function askFirst({ description }: Pick<EndpointTool, 'description'>, given: Record<string, unknown>) {
  const message = `${description}\n${JSON.stringify(given, hidePassword, 2)}`
  return inputRequired({
    inputRequests: { agreement: inputRequired.elicit({ message, requestedSchema: agreement }) },
  })
}

const hidePassword = (name: string, value: unknown) => (name === 'password' ? '…' : value)

/** What is wrong and what to do goes to the assistant, which can act on it. */
async function attempt(
  { asTyped }: Pick<McpParts, 'asTyped'>,
  act: () => Promise<unknown>,
): Promise<CallToolResult> {
  // Only these members are advice. Names may read like commands, too.
  const typeFix = (name: string, value: unknown) =>
    name === 'fix' && typeof value === 'string' ? asTyped(value) : value
  try {
    const answer = (await act()) ?? { done: true }
    const text = JSON.stringify(answer, typeFix, 2)
    const isObject = typeof answer === 'object' && !Array.isArray(answer)
    return { content: [{ type: 'text', text }], ...(isObject ? { structuredContent: JSON.parse(text) } : {}) }
  } catch (error) {
    const { sentences, document } = describeFailure(error, '')
    return failed([asTyped(sentences.join('\n')), JSON.stringify(document, typeFix)].join('\n'))
  }
}

function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

function cannotAsk({ asTyped, server }: Pick<McpParts, 'asTyped' | 'server'>): CallToolResult {
  return failed(
    [
      'Nothing was changed: a person has to agree to this, and this assistant cannot ask.',
      asTyped(
        `Start \`masthead mcp\` with --yes to do it without a question, or let the person do it in the dashboard: ${server}`,
      ),
    ].join('\n'),
  )
}

const declined = failed('Nothing was changed: the person did not agree.')
