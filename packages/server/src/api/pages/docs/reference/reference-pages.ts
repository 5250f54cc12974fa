import { exampleOf } from '@masthead/contract/docs/example-values.ts'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { endpointGroups, groupSummaries } from '@masthead/contract/endpoints.ts'
import type { DocPage } from '../doc-pages.ts'
import { curlExample } from './curl-example.ts'
import type { Json, OpenApiDocument, OpenApiOperation } from './openapi-document.ts'

type Group = keyof typeof endpointGroups

export function referencePath(group: Group): string {
  return `/docs/reference/${group.toLowerCase().replaceAll(' ', '-')}`
}

/** A page of the reference for each group of routes, in Markdown like the guides. */
export function referencePages(document: OpenApiDocument, server: string): DocPage[] {
  const groups = Object.keys(endpointGroups) as Group[]
  return groups.map((group) => {
    const endpoints = endpointGroups[group]
    const path = referencePath(group)
    const parts = Object.entries(endpoints as Record<string, Endpoint>).map(([name, endpoint]) =>
      routeMarkdown(name, endpoint, document, server),
    )
    const intro =
      'Send an API key as `Authorization: Bearer mh_…`: [keys, accounts and conventions](../api.md). Any route can also answer with the [errors](../errors.md) of every route.'
    return {
      path,
      markdownPath: `${path}.md`,
      title: group,
      about: groupSummaries[group],
      section: 'API reference',
      markdown: `# ${group}\n${intro}\n\n${parts.join('\n')}`,
    }
  })
}

const accessWords: Record<string, string> = {
  public: 'Anyone can use it, without a key.',
  session: 'Only for signed-in people; keys cannot use it.',
  any: 'Any key or signed-in person can use it.',
  operator: 'Only for operators.',
}

function routeMarkdown(name: string, endpoint: Endpoint, document: OpenApiDocument, server: string): string {
  const [method = '', path = ''] = endpoint.route.split(' ')
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (operation === undefined) return ''
  const resolve = (reference: string) => document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {}
  const access = accessWords[endpoint.access] ?? operation.description ?? ''
  const body = operation.requestBody?.content['application/json']?.schema
  const lines = [
    `## ${endpoint.summary} {#${name}}`,
    `\`${endpoint.route}\``,
    '',
    access,
    '',
    ...fieldTable(
      'parameter',
      operation.parameters
        .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
        .map((parameter) => ({ ...parameter, description: parameter.description ?? '' })),
      resolve,
    ),
    ...(body === undefined ? [] : fieldTable('field', bodyFields(body, resolve), resolve)),
    '```sh',
    curlExample(endpoint, operation, resolve, server),
    '```',
    '',
    ...answerLines(endpoint, operation, resolve),
    ...problemLines(endpoint),
  ]
  return lines.join('\n')
}

interface ReferenceField {
  name: string
  required: boolean
  description: string
  schema: Json
}

function bodyFields(body: Json, resolve: (reference: string) => Json): ReferenceField[] {
  const { properties = {}, required = [] } = (typeof body.$ref === 'string' ? resolve(body.$ref) : body) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
    description: String(schema.description ?? ''),
  }))
}

function fieldTable(
  noun: string,
  fields: readonly ReferenceField[],
  resolve: (reference: string) => Json,
): string[] {
  if (fields.length === 0) return []
  const rows = fields.map(({ name, required, description, schema }) => {
    const needed = required ? '' : 'optional'
    const preset = schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``
    const words = [description, needed, preset].filter((word) => word !== '').join('; ')
    return `| \`${name}\` | ${typeWords(schema, resolve)} | ${cell(words)} |`
  })
  return [`| ${noun} | type | what it is |`, '|---|---|---|', ...rows, '']
}

function typeWords(schema: Json, resolve: (reference: string) => Json): string {
  if (typeof schema.$ref === 'string') return typeWords(resolve(schema.$ref), resolve)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if ('const' in schema) return `\`${schema.const}\``
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices !== undefined) return choices.map((choice) => typeWords(choice, resolve)).join(' or ')
  if (schema.type === 'array') return `list of ${typeWords((schema.items ?? {}) as Json, resolve)}`
  if (schema.format === 'date-time') return 'time'
  const least = schema.minimum
  const most = schema.maximum
  const range = most !== undefined && least !== undefined ? `, ${least} to ${most}` : ''
  return `${String(schema.type ?? 'any')}${range}`
}

function answerLines(
  endpoint: Endpoint,
  { responses }: OpenApiOperation,
  resolve: (reference: string) => Json,
): string[] {
  const status = endpoint.status ?? 200
  const schema = responses[String(status)]?.content?.['application/json']?.schema
  if (schema === undefined) return [`It answers with ${status}.`, '']
  const example = JSON.stringify(exampleOf(schema, resolve), null, 2)
  return [`It answers with ${status}:`, '', '```json', example, '```', '']
}

function problemLines({ problems = [] }: Endpoint): string[] {
  if (problems.length === 0) return []
  const links = problems.map((code) => `[\`${code}\`](../errors.md#${code})`)
  return [`Errors of its own: ${links.join(', ')}.`, '']
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
