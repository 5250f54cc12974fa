import type { FastifyReply } from 'fastify'
import { z } from 'zod'

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Writes an answer as JSON, with only the fields of its schema in the contract. The serializer that Fastify generates
 * from the schema is several times faster than validating and copying the answer first. Generated on first use, so that
 * the server starts quickly. Handlers are checked by their types, and every answer in the tests by its schema.
 */
export function answerSerializer(schema: z.ZodType): (reply: FastifyReply, answer: unknown) => string {
  let serialize: ReturnType<FastifyReply['compileSerializationSchema']> | undefined
  return (reply, answer) => {
    serialize ??= reply.compileSerializationSchema(serializationSchema(schema))
    return serialize(answer as Record<string, unknown>)
  }
}

/** An answer in the form in which it is sent, to be kept and sent again. */
export class SerializedAnswer {
  readonly bytes: Buffer

  constructor(json: string) {
    // Memory of its own: a small part of Node's shared memory would keep all of that part alive.
    this.bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json))
    this.bytes.write(json)
  }
}

export function serializationSchema(schema: z.ZodType): Record<string, unknown> {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'output' })
  const simplify = (node: JsonSchema): Record<string, unknown> => {
    if (node.$ref !== undefined) return simplify($defs[node.$ref.slice('#/$defs/'.length)] ?? {})
    if (node.anyOf !== undefined) return simplifyUnion(node.anyOf as JsonSchema[])
    if (Array.isArray(node.type)) return simplifyUnion(node.type.map((type) => ({ ...node, type })))
    switch (node.type) {
      case 'object':
        return {
          type: 'object',
          properties: mapValues(node.properties ?? {}, (one) => simplify(one as JsonSchema)),
          required: node.required ?? [],
          additionalProperties: isSchema(node.additionalProperties) && simplify(node.additionalProperties),
        }
      case 'array':
        return { type: 'array', items: isSchema(node.items) ? simplify(node.items) : {} }
      default:
        return node.type === undefined ? {} : { type: node.type }
    }
  }
  /** A value or null, or one of several numbers. A serializer for more would have to validate to choose. */
  const simplifyUnion = (members: readonly JsonSchema[]): Record<string, unknown> => {
    const [first, ...others] = members.filter(({ type }) => type !== 'null').map(simplify)
    if (first === undefined || others.some(({ type }) => type !== 'number' || type !== first.type))
      throw new Error('The contract has an answer that is one of several shapes')
    return others.length + 1 < members.length ? { ...first, nullable: true } : first
  }
  return simplify(root)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapValues<V, W>(record: Record<string, V>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
