type Json = { [name: string]: unknown }

/** A JSON Schema of the OpenAPI document as a TypeScript type. */
export function typeOfSchema(schema: Json): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown'
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices !== undefined) return [...new Set(choices.map(typeOfSchema))].join(' | ')
  if (Array.isArray(schema.allOf)) return schema.allOf.map((one) => `(${typeOfSchema(one)})`).join(' & ')
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOfSchema({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
      return typeOfString(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return typeOfList(schema)
    case 'object':
      return typeOfObject(schema)
    default:
      return 'unknown'
  }
}

/** Ids keep their prefix, so that an id of the wrong kind is an error. */
function typeOfString({ pattern }: Json): string {
  const prefix = /^\^\(?([a-z]{2,3}_)/.exec(String(pattern ?? ''))?.[1]
  return prefix === undefined ? 'string' : `\`${prefix}\${string}\``
}

function typeOfList({ items, prefixItems }: Json): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => typeOfSchema(item)).join(', ')}]`
  return `Array<${typeOfSchema((items ?? {}) as Json)}>`
}

function typeOfObject({ properties = {}, required = [], additionalProperties }: Json): string {
  const members = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const needed = (required as string[]).includes(name)
    const type = typeOfSchema(schema)
    return `${comment(schema)}${JSON.stringify(name)}${needed ? `: ${type}` : `?: ${type} | undefined`}`
  })
  if (members.length > 0) return `{\n${members.join('\n')}\n}`
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return 'Record<never, never>'
  return `Record<string, ${typeOfSchema(additionalProperties as Json)}>`
}

/** Shown by editors. */
export function comment({ description }: { description?: unknown }): string {
  if (typeof description !== 'string' || description === '') return ''
  return `/** ${description.replaceAll('*/', '*\\/')} */\n`
}

/** The exact type of a value that is plain data. */
export function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return `readonly [${value.map(typeOfValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `readonly ${JSON.stringify(name)}: ${typeOfValue(member)}`,
  )
  return `{\n${members.join('\n')}\n}`
}
