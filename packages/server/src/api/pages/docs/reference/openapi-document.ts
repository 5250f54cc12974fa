/** What the reference reads of the OpenAPI document. */
export type Json = { [name: string]: unknown }

export interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, Json> }
}

export interface OpenApiOperation {
  /** Which scope it needs, where it needs one. */
  description?: string
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { content?: Record<string, { schema: Json }> }>
}
