import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { viteProgram } from './run-build.ts'

/** The files whose types the package has; `package.ts` is the first. */
const sources = ['package', 'client', 'errors', 'paginate', 'request', 'retry', 'upload']

interface DeclarationWriter {
  isolatedDeclarationSync(file: string, text: string): { code: string; errors: { message: string }[] }
}

/** The types of the client, read from its source. They find those of the contract beside them. */
export async function clientTypes(folder: string): Promise<Map<string, string>> {
  // What Vite itself compiles with: a whole TypeScript compiler takes seconds.
  const compiler = createRequire(viteProgram).resolve('rolldown/experimental')
  const { isolatedDeclarationSync }: DeclarationWriter = await import(compiler)
  const types = sources.map(async (name): Promise<[string, string]> => {
    const file = join(folder, `${name}.ts`)
    const { code, errors } = isolatedDeclarationSync(file, await readFile(file, 'utf8'))
    if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`)
    return [`${name}.d.ts`, adaptImports(code)]
  })
  return new Map(await Promise.all(types))
}

function adaptImports(types: string): string {
  return types
    .replaceAll(/from "@masthead\/contract\/[^"]+"/g, 'from "./contract.js"')
    .replaceAll(/from "(\.\/[\w-]+)\.ts"/g, 'from "$1.js"')
}
