import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, reportFaults } from './fault.ts'
import { environmentReaders } from './import-rules.ts'
import { findCycles } from './imports/cycles.ts'
import { environmentReads } from './imports/environment-reads.ts'
import { readImportGraph } from './imports/graph.ts'
import { isTest, judgeEdge, judgeFolders, judgeOutside } from './imports/judge.ts'
import { repositoryRoot } from './repository.ts'

/** Holds every import of the repository against scripts/import-rules.ts. */
export function checkImports(root: string): Fault[] {
  const graph = readImportGraph(root)
  return [
    ...judgeFolders(graph.files),
    ...graph.edges.flatMap((edge) => judgeEdge(edge, graph.exists)),
    ...graph.outside.flatMap((found) => judgeOutside(found, graph.workspaces)),
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
