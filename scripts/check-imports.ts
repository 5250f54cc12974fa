import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentReaders } from './import-rules.ts'
import { checkEdge, checkFolders, checkPackageImport, isTest } from './imports/check-edges.ts'
import { findCycles, readImportGraph } from './imports/graph.ts'
import { environmentReads } from './imports/source.ts'
import { type Fault, reportFaults, repositoryRoot } from './repository.ts'

/** Checks every import of the repository against scripts/import-rules.ts. */
export function checkImports(root: string): Fault[] {
  const graph = readImportGraph(root)
  return [
    ...checkFolders(graph.files),
    ...graph.edges.flatMap((edge) => checkEdge(edge, graph.exists)),
    ...graph.outside.flatMap((found) => checkPackageImport(found, graph.workspaces)),
    ...findCycles(graph.edges).map((cycle) => ({
      file: cycle[0] ?? '',
      line: 1,
      message: `is part of a cycle: ${cycle.join(' → ')}`,
    })),
    ...graph.files.flatMap((file) => strayEnvironmentReads(root, file)),
  ]
}

function strayEnvironmentReads(root: string, file: string): Fault[] {
  const rule = environmentReaders.find(({ folder }) => file.startsWith(`${folder}/`))
  if (rule === undefined || rule.reader === file || isTest(file)) return []
  return environmentReads(readFileSync(join(root, file), 'utf8')).map((line) => ({
    file,
    line,
    message: `reads the environment; only ${rule.reader} does: ${rule.why}`,
  }))
}

if (import.meta.main) reportFaults(checkImports(repositoryRoot))
