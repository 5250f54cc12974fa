/** The lifecycle of a deployment. Being live is not a state: the project points to its live deployment. */
export const deploymentStates = {
  uploading: { meaning: 'files are being uploaded', next: ['ready'] },
  ready: { meaning: 'complete and immutable; can be previewed and activated', next: [] },
} as const satisfies Record<string, { meaning: string; next: readonly string[] }>

export type DeploymentState = keyof typeof deploymentStates
export const deploymentStateNames = Object.keys(deploymentStates) as [DeploymentState, ...DeploymentState[]]

/** Ready deployments kept per project, in addition to the active one. */
export const retainedDeployments = 10

/** The newest deployment of a branch is kept for at least this long, for this many branches of a project. */
export const branchRetentionDays = 30
export const retainedBranches = 100

/** Files of a deployment in one page: more than of other lists, because a deployment may have thousands. */
export const maxListedFiles = 1_000

/** Limits for one deployment. Operators can change them; clients read them to fail early. */
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

/** The file that links a folder to a project. A folder has at most one; new ones get the first name. */
export const projectFileNames = ['masthead.json', 'masthead.yaml', 'masthead.yml'] as const

/** Installed packages, and what Windows and macOS leave in folders and archives, such as the icon of a folder. */
const everywhere: ReadonlySet<string> = new Set(['node_modules', 'Thumbs.db', '__MACOSX', 'Icon\r'])

/** Whether a file or folder with this name is left out of a deployment. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') ? name !== '.well-known' : everywhere.has(name)
}

/** Names at the root of a site that say how to serve it, here or elsewhere. They may contain passwords. */
const controlNames: ReadonlySet<string> = new Set(
  [
    ...projectFileNames,
    ...['_redirects', '_headers', 'netlify.toml', 'vercel.json', '.nojekyll', 'CNAME'],
    '_routes.json',
  ].map((name) => name.toLowerCase()),
)

/** The server code of Cloudflare Pages: a file or a folder. Visitors must not read it. */
const workerName = '_worker.js'

/** Whether visitors never get the file at this path of a deployment. Case does not matter: people mistype these names. */
export function isControlFile(path: string): boolean {
  const end = path.indexOf('/', 1)
  const name = path.slice(1, end === -1 ? undefined : end).toLowerCase()
  return name === workerName || (end === -1 && controlNames.has(name))
}

/** Finds every path that may be ignored, and few others, many times faster than looking at each name. */
const mayBeIgnored = new RegExp(
  `(?:^|/)(?:[.]|${[...everywhere].map((name) => name.replaceAll('.', '[.]')).join('|')})`,
)

/** The part of a path that keeps it from being published: `/docs/.git/` for `/docs/.git/HEAD`. Null if it is published. */
export function ignoredPart(path: string): string | null {
  if (!mayBeIgnored.test(path)) return null
  const names = path.slice(1).split('/')
  const depth = names.findIndex((name) => isIgnored(name))
  if (depth === -1) return null
  const part = `/${names.slice(0, depth + 1).join('/')}`
  return depth === names.length - 1 ? part : `${part}/`
}

/** The branch that goes live, unless the project names another one. */
export const defaultProductionBranch = 'main'

export const metaMaxLength = {
  message: 500,
  commit: 64,
  branch: 255,
  repository: 300,
  author: 200,
  url: 1_000,
} as const

interface Described {
  message?: string | undefined
  commit?: string | undefined
  branch?: string | undefined
  pullRequest?: number | undefined
}

export function firstLine(text: string): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? ''
}

/** As people know commits from git. */
function shortCommit(commit: string): string {
  return /^[0-9a-f]{12,}$/i.test(commit) ? commit.slice(0, 7) : commit
}

/** What a deployment is called; null if its metadata gives it no name. */
export function deploymentTitle({ message, commit, branch, pullRequest }: Described): string | null {
  if (message !== undefined && message !== '') return firstLine(message)
  if (pullRequest !== undefined) return `Pull request #${pullRequest}`
  if (branch !== undefined) return commit === undefined ? branch : `${branch} at ${shortCommit(commit)}`
  return commit === undefined ? null : `Commit ${shortCommit(commit)}`
}

/** Branch, commit and pull request in a few words, without what the title already says; empty if nothing is known. */
export function deploymentSource({ message, commit, branch, pullRequest }: Described): string {
  if (message === undefined && pullRequest === undefined) return ''
  const parts = [
    branch,
    commit && shortCommit(commit),
    message !== undefined && pullRequest !== undefined && `#${pullRequest}`,
  ]
  return parts.filter((part) => part).join(' · ')
}
