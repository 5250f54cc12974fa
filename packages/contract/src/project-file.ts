import { z } from 'zod'
import { domainsMember } from './schemas/domains/domain-config.ts'
import { ruleMembers } from './site-rules/sources/rule-members.ts'

/** Links a folder to a project. Unknown members are rejected, so that typos are noticed. */
export const projectFile = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'Where editors find this schema' }),
    project: z.string().min(1).optional().meta({ description: 'Slug or id of the project' }),
    folder: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The folder to publish, relative to this file', default: '.' }),
    server: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The server to publish to', examples: ['https://masthead.example'] }),
    domains: domainsMember.optional(),
    ...ruleMembers,
  })
  .meta({
    title: 'masthead.json or masthead.yaml',
    description: 'What `masthead deploy` publishes, and where',
  })

export type ProjectFileMembers = z.infer<typeof projectFile>

/** JSON Schema (2020-12) of the file, for editors; also written to project-file.schema.json. */
export function projectFileJsonSchema(): object {
  return z.toJSONSchema(projectFile, { target: 'draft-2020-12', io: 'input' })
}
