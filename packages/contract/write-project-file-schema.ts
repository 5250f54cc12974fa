import { writeFileSync } from 'node:fs'
import { projectFileJsonSchema } from './src/project-file.ts'

const path = new URL('project-file.schema.json', import.meta.url)
writeFileSync(path, `${JSON.stringify(projectFileJsonSchema(), null, 2)}\n`)
