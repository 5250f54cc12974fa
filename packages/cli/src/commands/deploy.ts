import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { command } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { applyDomains } from '../deploy/apply-domains.ts'
import { DigestCache } from '../deploy/digest-cache.ts'
import { hashFiles } from '../deploy/hash-files.ts'
import { type FoundFile, listFolder } from '../deploy/list-files.ts'
import { goesLive, metadataOptions, readMetadata } from '../deploy/metadata/read-metadata.ts'
import {
  confirmDiagnostics,
  noteBranch,
  noteDefaultSubdomain,
  noteFindings,
  noteIgnoredFiles,
  noteSentRules,
  noteTakedown,
  noteUnusedProject,
} from '../deploy/notes.ts'
import { type PublishRequest, publish } from '../deploy/publish.ts'
import { assertFolder, folderToPublish } from '../deploy/published-folder.ts'
import { isProjectFile, rulesToSend, withRules } from '../deploy/rule-files.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { isOnThisMachine } from '../errors/on-this-machine.ts'
import { chooseProject } from '../project/choose-project.ts'
import { findProject, ownProject } from '../project/find-project.ts'
import type { ProjectFile } from '../project/project-file.ts'
import { formatCount, formatDuration, formatNumber } from '../terminal/format.ts'
import type { Output } from '../terminal/output.ts'
import { showProgress } from '../terminal/progress.ts'

export const deploy = command({
  name: 'deploy',
  summary: 'Publish a folder',
  usage: ['deploy [folder]'],
  about: [
    'Uploads the files that the server does not have yet, then publishes all of them at once. Without a folder, it\npublishes the one in masthead.json or the current one. The project is named after the folder unless you choose\nanother name, and is created if you do not have it yet.',
    'Not published: node_modules, Thumbs.db, __MACOSX, and names that start with a dot, except .well-known. Rules\nof the site in the project file, netlify.toml or vercel.json are sent too, also from beside the folder.\nVisitors never get these files.',
    'If the project file has `domains`, deploy also sets the primary domain and the redirects and shows the\nchanges. A preview does not change them.',
    'In a pipeline that the account trusts (`masthead trust`), no key is needed.',
    'Message, commit, branch and author come from git or from the variables of the pipeline, unless you give them.\nThe production branch of the project goes live; other branches, tags and pull requests are previews.',
  ],
  options: {
    activate: {
      type: 'boolean',
      help: 'go live, also from a tag or a branch that is not the production branch',
    },
    'no-activate': { type: 'boolean', help: 'publish as a preview without changing the live site' },
    'no-rules': { type: 'boolean', help: 'do not send the rules of files beside the folder' },
    'no-domains': { type: 'boolean', help: 'do not change the primary domain and the redirects' },
    ...metadataOptions,
  },
  examples: [
    ['masthead deploy', 'publish this folder'],
    ['masthead deploy ./dist --project my-site', 'publish ./dist as my-site'],
    ['masthead deploy --no-activate', 'print the address of a preview'],
  ],
  words: 1,
  looksIn: (words) => words.slice(0, 1),
  async run(context, values, [folderWord]) {
    const { out, signal } = context
    if (values.activate && values['no-activate']) {
      throw usageError('--activate and --no-activate exclude each other.', 'Keep one of them.')
    }
    const folder = folderToPublish(context, folderWord)
    await assertFolder(folder)
    const wanted = chooseProject(values.project ?? context.projectFile?.members.project, folder)
    const client = await context.signedIn(wanted.name)
    const leftOut: string[] = []
    // At the same time, because a server may be slow to answer.
    const limits = client.getServer({ signal }).then(({ uploadLimits }) => uploadLimits)
    const known = ownProject(client, wanted.name, signal)
    const metadata = readMetadata(folder, context.env, values)
    const digests = new DigestCache(context.env, folder)
    const listing = filesToPublish(folder, limits, (path) => leftOut.push(path))
    // If several fail, the first one below is reported.
    for (const each of [limits, metadata, listing, known]) each.catch(() => {})
    await limits
    const { meta, productionBranch, isPullRequest, isTag } = await metadata
    const listed = await listing
    const sent = values['no-rules'] ? [] : await rulesToSend(context, listed)
    const found = withRules(listed, sent)
    const { project, created } = await findProject(client, wanted, { signal, productionBranch, known })
    if (!wanted.chosen && project.slug !== wanted.name) {
      out.note(`The name ${wanted.name} is taken on this server. Your project is ${project.slug}.`)
    } else if (created) out.note(`Created the project ${project.slug}.`)
    if (created && project.slugUsedUntil !== undefined) {
      const until = project.slugUsedUntil.slice(0, 10)
      out.note(`Another account used this slug until ${until}. Its old links now lead to your site.`)
    }

    noteIgnoredFiles(leftOut, out)
    noteSentRules(sent, out)
    const asked = values['no-activate'] ? false : values.activate
    const activate =
      asked ?? (!isPullRequest && goesLive(meta, created ? undefined : project.productionBranch))
    let started = performance.now()
    let announced: Deployment['diagnostics'] = []
    const { deployment, ...counts } = await send({
      client,
      project: project.id,
      found,
      digests,
      // What is live is of production, and kept as such.
      meta: activate && isTag ? { ...meta, branch: '' } : meta,
      activate,
      compress: !isOnThisMachine(context.server),
      out,
      signal,
      announced: async ({ diagnostics }) => {
        announced = diagnostics
        const asked = performance.now()
        await confirmDiagnostics(diagnostics, activate, context)
        // The time until the person answers does not count.
        started += performance.now() - asked
      },
    }).catch((error) => {
      if (created) noteUnusedProject(project, out)
      throw error
    })
    const time = formatDuration(performance.now() - started)
    noteFindings(announced, deployment.diagnostics, out)
    const what = activate ? `Published ${project.slug}` : `Uploaded a preview of ${project.slug}`
    out.note(`${out.noteStyle('green', what)}: ${summary(counts)} in ${time}`)
    const file = activate && !values['no-domains'] ? domainsFile(context) : null
    const { failure, ...domains } = await applyDomains({ client, project, file, out, signal })
    noteBranch(deployment, project, out)
    const { id, diagnostics, branchUrl } = deployment
    const inBranch = branchUrl === null ? {} : { branchUrl }
    const named = { project: project.slug, deployment: id, leftOut, diagnostics, ...inBranch }
    if (!activate) {
      const { url } = deployment
      return { document: { ...named, url, ...counts, ...domains }, text: url, failure }
    }
    const params = { project: project.id }
    const now = domains.domainsChanged === true ? await client.getProject({ params, signal }) : project
    const { url, primaryUrl } = now
    noteDefaultSubdomain(now, out)
    noteTakedown(now, out)
    return { document: { ...named, url, primaryUrl, ...counts, ...domains }, text: primaryUrl, failure }
  },
})

/** A trusted pipeline can only deploy. */
function domainsFile({ projectFile, isTrustedPipeline, out }: CommandContext): ProjectFile | null {
  if (!isTrustedPipeline()) return projectFile
  if (projectFile?.members.domains !== undefined) {
    out.note('Domains stay as they are: only a key with the scope `domains` can change them.')
  }
  return null
}

interface Sending extends Omit<PublishRequest, 'files' | 'progress'> {
  found: readonly FoundFile[]
  digests: DigestCache
  out: Output
}

async function send({ found, digests, out, ...rest }: Sending) {
  const progress = showProgress(out)
  try {
    progress.begin({ doing: 'Reading', files: found.length, bytes: bytesOf(found) })
    const files = await hashFiles(found, rest.signal, progress.fileDone, (file) => digests.find(file))
    digests.save(files)
    const { deployment, uploaded, uploadedBytes } = await publish({ ...rest, files, progress })
    return { deployment, files: files.length, uploaded, uploadedBytes, skipped: files.length - uploaded }
  } finally {
    progress.end()
  }
}

function summary({
  files,
  uploaded,
  uploadedBytes,
}: {
  files: number
  uploaded: number
  uploadedBytes: number
}) {
  if (uploaded === 0) return `${formatCount(files, 'file')}, nothing new`
  return `${formatCount(files, 'file')}, ${formatNumber(uploaded)} uploaded (${formatBytes(uploadedBytes)})`
}

async function filesToPublish(
  folder: string,
  limits: Promise<UploadLimits>,
  leavesOut: (path: string) => void,
): Promise<FoundFile[]> {
  const files = await listFolder(folder, limits, leavesOut)
  if (files.every(({ path }) => isProjectFile(path))) {
    throw new CommandError(
      'deployment_empty',
      `There are no files to publish in ${folder}.`,
      'Choose another folder.',
    )
  }
  return files
}

function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
