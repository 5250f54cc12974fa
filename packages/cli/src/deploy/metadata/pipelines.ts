import type { DeploymentMeta } from '@masthead/contract/schemas/deployment-meta.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a pipeline or git says about a deployment. Any value may be missing, empty or too long. */
export interface Facts
  extends Partial<Record<Exclude<keyof DeploymentMeta, 'pullRequest'>, string | undefined>> {
  /** The number of the pull request. Any other text stands for one whose number is unknown. */
  pullRequest?: string | undefined
  /** The branch that a pull request wants to change. */
  target?: string | undefined
  /** The repository that a pull request comes from, if it is another one. */
  fork?: string | undefined
  /** Instead of a branch. */
  tag?: string | undefined
  defaultBranch?: string | undefined
}

/** The parts of the event document of GitHub, Gitea and Forgejo that the variables lack. */
export interface ActionsEvent {
  pull_request?: {
    number?: number
    title?: string
    html_url?: string
    head?: { sha?: string; ref?: string; repo?: { full_name?: string } | null }
    base?: { ref?: string }
  }
  /** Of a comment, which pull requests get too. */
  issue?: { number?: number; title?: string; pull_request?: object }
  workflow_run?: {
    event?: string
    head_branch?: string
    head_sha?: string
    head_commit?: Commit | null
    head_repository?: { full_name?: string } | null
    pull_requests?: { number?: number }[]
  }
  head_commit?: Commit | null
  repository?: { default_branch?: string }
}

interface Commit {
  message?: string
  author?: { name?: string }
}

interface Pipeline {
  name: string
  isRunning(env: Env): boolean
  facts(env: Env, event: ActionsEvent): Facts
}

/** GitHub Actions, and those that follow it in all but the paths of pages. */
function actions(pullRequests: string): Pipeline['facts'] {
  return (env, event) => {
    const { pull_request: pull, issue, workflow_run: run, repository } = event
    const page = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}`
    const pullRequest = pullRequestOf(env, event)
    const built = run?.head_commit ?? event.head_commit
    const commit = pull?.head?.sha ?? run?.head_sha ?? env.GITHUB_SHA
    const head = env.GITHUB_HEAD_REF || pull?.head?.ref || run?.head_branch
    // With `pull_request_target` and comments, this is the branch of the workflow and not of what it builds.
    const own = env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : undefined
    return {
      message: pull?.title ?? built?.message ?? issue?.title,
      commit,
      branch: head || (pullRequest === undefined ? own : undefined),
      repository: env.GITHUB_REPOSITORY,
      author: pull === undefined ? (built?.author?.name ?? env.GITHUB_ACTOR) : env.GITHUB_ACTOR,
      url:
        pull?.html_url ??
        (pullRequest === undefined || pullRequest === unknown
          ? `${page}/commit/${commit}`
          : `${page}/${pullRequests}/${pullRequest}`),
      pullRequest,
      target: env.GITHUB_BASE_REF || pull?.base?.ref || repository?.default_branch,
      fork: other((pull?.head?.repo ?? run?.head_repository)?.full_name, env.GITHUB_REPOSITORY),
      tag: env.GITHUB_REF_TYPE === 'tag' ? env.GITHUB_REF_NAME : undefined,
      defaultBranch: repository?.default_branch,
    }
  }
}

const unknown = 'unknown'

/** `GITHUB_REF` does not say it always: `pull_request_target` and `workflow_run` run on the default branch. */
function pullRequestOf(env: Env, { pull_request: pull, issue, workflow_run: run }: ActionsEvent) {
  const name = env.GITHUB_EVENT_NAME ?? ''
  const isAfterPull = run?.event?.startsWith('pull_request') ?? name === 'workflow_run'
  const number =
    pull?.number ??
    (issue?.pull_request ? issue.number : undefined) ??
    (isAfterPull ? run?.pull_requests?.[0]?.number : undefined) ??
    /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '')?.[1]
  if (number !== undefined) return String(number)
  const isPull = pull || issue?.pull_request || env.GITHUB_HEAD_REF || name.startsWith('pull_request')
  return isPull || isAfterPull ? unknown : undefined
}

function other(repository: string | undefined, own: string | undefined): string | undefined {
  return repository === own ? undefined : repository
}

/** Pipelines of merge requests, also those from forks, run in the project that they want to change. */
function mergeRequestOf(env: Env): string | undefined {
  const isKnown = /^(?:merge_request|external_pull_request)_event$/.test(env.CI_PIPELINE_SOURCE ?? '')
  return (
    env.CI_MERGE_REQUEST_IID ||
    env.CI_EXTERNAL_PULL_REQUEST_IID ||
    // What a pipeline starts has only the reference.
    /^refs\/merge-requests\/(\d+)\//.exec(env.CI_COMMIT_REF_NAME ?? '')?.[1] ||
    (isKnown ? unknown : undefined)
  )
}

/** The first one that runs is used: Forgejo and Gitea also set the variables of GitHub. */
export const pipelines: readonly Pipeline[] = [
  {
    name: 'Forgejo or Gitea Actions',
    isRunning: (env) => env.FORGEJO_ACTIONS === 'true' || env.GITEA_ACTIONS === 'true',
    facts: actions('pulls'),
  },
  {
    name: 'GitHub Actions',
    isRunning: (env) => env.GITHUB_ACTIONS === 'true',
    facts: actions('pull'),
  },
  {
    name: 'GitLab CI',
    isRunning: (env) => env.GITLAB_CI === 'true',
    facts: (env) => ({
      message: env.CI_MERGE_REQUEST_TITLE || env.CI_COMMIT_MESSAGE,
      commit:
        env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA ||
        env.CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA ||
        env.CI_COMMIT_SHA,
      branch:
        env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME ||
        env.CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME ||
        env.CI_COMMIT_BRANCH,
      repository: env.CI_PROJECT_PATH,
      author: env.CI_COMMIT_AUTHOR?.replace(/\s*<[^<>]*>$/, ''),
      url: env.CI_MERGE_REQUEST_IID
        ? `${env.CI_MERGE_REQUEST_PROJECT_URL}/-/merge_requests/${env.CI_MERGE_REQUEST_IID}`
        : `${env.CI_PROJECT_URL}/-/commit/${env.CI_COMMIT_SHA}`,
      pullRequest: mergeRequestOf(env),
      target: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME || env.CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME,
      fork:
        other(env.CI_MERGE_REQUEST_SOURCE_PROJECT_PATH, env.CI_MERGE_REQUEST_PROJECT_PATH) ||
        other(env.CI_EXTERNAL_PULL_REQUEST_SOURCE_REPOSITORY, env.CI_EXTERNAL_PULL_REQUEST_TARGET_REPOSITORY),
      tag: env.CI_COMMIT_TAG,
      defaultBranch: env.CI_DEFAULT_BRANCH,
    }),
  },
  {
    name: 'Bitbucket Pipelines',
    isRunning: (env) => env.BITBUCKET_BUILD_NUMBER !== undefined,
    facts: (env) => ({
      commit: env.BITBUCKET_COMMIT,
      branch: env.BITBUCKET_BRANCH,
      repository: env.BITBUCKET_REPO_FULL_NAME,
      url: env.BITBUCKET_PR_ID
        ? `${env.BITBUCKET_GIT_HTTP_ORIGIN}/pull-requests/${env.BITBUCKET_PR_ID}`
        : `${env.BITBUCKET_GIT_HTTP_ORIGIN}/commits/${env.BITBUCKET_COMMIT}`,
      pullRequest: env.BITBUCKET_PR_ID,
      target: env.BITBUCKET_PR_DESTINATION_BRANCH,
      tag: env.BITBUCKET_TAG,
    }),
  },
  {
    name: 'CircleCI',
    isRunning: (env) => env.CIRCLECI === 'true',
    facts: (env) => ({
      commit: env.CIRCLE_SHA1,
      branch: env.CIRCLE_BRANCH,
      repository:
        env.CIRCLE_PROJECT_USERNAME && `${env.CIRCLE_PROJECT_USERNAME}/${env.CIRCLE_PROJECT_REPONAME}`,
      author: env.CIRCLE_USERNAME,
      url: env.CIRCLE_PULL_REQUEST || env.CIRCLE_BUILD_URL,
      pullRequest: env.CIRCLE_PR_NUMBER || /\/(\d+)$/.exec(env.CIRCLE_PULL_REQUEST ?? '')?.[1],
      tag: env.CIRCLE_TAG,
    }),
  },
  {
    name: 'Jenkins',
    isRunning: (env) => env.JENKINS_URL !== undefined,
    facts: (env) => ({
      message: env.CHANGE_TITLE,
      commit: env.GIT_COMMIT,
      // A tag is called a branch here, and a change request has a made-up one.
      branch: env.TAG_NAME
        ? undefined
        : env.CHANGE_BRANCH || env.BRANCH_NAME || env.GIT_BRANCH?.replace(/^origin\//, ''),
      repository: env.GIT_URL,
      author: env.CHANGE_AUTHOR_DISPLAY_NAME || env.CHANGE_AUTHOR,
      url: env.CHANGE_URL || env.BUILD_URL,
      pullRequest: env.CHANGE_ID,
      target: env.CHANGE_TARGET,
      fork: env.CHANGE_FORK,
      tag: env.TAG_NAME,
    }),
  },
  {
    name: 'Netlify',
    isRunning: (env) => env.NETLIFY === 'true',
    facts: (env) => ({
      commit: env.COMMIT_REF,
      branch: env.HEAD || env.BRANCH,
      repository: env.REPOSITORY_URL,
      pullRequest: env.PULL_REQUEST === 'true' ? env.REVIEW_ID || unknown : undefined,
    }),
  },
  {
    name: 'Vercel',
    isRunning: (env) => env.VERCEL === '1',
    facts: (env) => ({
      message: env.VERCEL_GIT_COMMIT_MESSAGE,
      commit: env.VERCEL_GIT_COMMIT_SHA,
      branch: env.VERCEL_GIT_COMMIT_REF,
      repository: env.VERCEL_GIT_REPO_OWNER && `${env.VERCEL_GIT_REPO_OWNER}/${env.VERCEL_GIT_REPO_SLUG}`,
      author: env.VERCEL_GIT_COMMIT_AUTHOR_NAME || env.VERCEL_GIT_COMMIT_AUTHOR_LOGIN,
      pullRequest: env.VERCEL_GIT_PULL_REQUEST_ID,
    }),
  },
]
