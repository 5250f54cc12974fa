/** The life of a deployment. Whether it is the one being served is the project's choice, not a state. */
export const deploymentStates = {
  uploading: { meaning: 'files are being uploaded; nothing is served yet', next: ['ready'] },
  ready: { meaning: 'complete and unchangeable; can be previewed and activated', next: [] },
} as const satisfies Record<string, { meaning: string; next: readonly string[] }>

export type DeploymentState = keyof typeof deploymentStates
export const deploymentStateNames = Object.keys(deploymentStates) as [DeploymentState, ...DeploymentState[]]

/** Ready deployments kept per project, beside the active one. */
export const retainedDeployments = 10

/** What one deployment may hold. Operators can change these; clients read them to refuse early. */
export interface UploadLimits {
  files: number
  bytesPerFile: number
  bytesPerDeployment: number
}

const MiB = 1024 ** 2

export const defaultUploadLimits: UploadLimits = {
  files: 20_000,
  bytesPerFile: 100 * MiB,
  bytesPerDeployment: 1024 * MiB,
}

/** What ties a folder to a project. A folder has one of them; the first is written where there is none yet. */
export const projectFileNames = ['masthead.json', 'masthead.yaml', 'masthead.yml'] as const

/** Beside installed packages, what Windows and macOS leave in folders and archives. */
const everywhere: ReadonlySet<string> = new Set(['node_modules', 'Thumbs.db', '__MACOSX'])
const atTheRoot: ReadonlySet<string> = new Set(projectFileNames)

/** Whether a file or folder of this name lies in a site without being meant for visitors. */
export function isIgnored(name: string, isAtRoot: boolean): boolean {
  if (name.startsWith('.')) return name !== '.well-known'
  return everywhere.has(name) || (isAtRoot && atTheRoot.has(name))
}

/** For which part a path is not published: `/docs/.git/` for `/docs/.git/HEAD`; null where it is published. */
export function ignoredPart(path: string): string | null {
  const names = path.slice(1).split('/')
  const depth = names.findIndex((name, at) => isIgnored(name, at === 0))
  if (depth === -1) return null
  const part = `/${names.slice(0, depth + 1).join('/')}`
  return depth === names.length - 1 ? part : `${part}/`
}
