import type { DeploymentMeta } from '@masthead/contract/schemas/deployment-meta.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a pipeline or git says about a deployment. Any value may be missing, empty or too long. */
export interface Facts
  extends Partial<Record<Exclude<keyof DeploymentMeta, 'pullRequest'>, string | undefined>> {
  pullRequest?: string | undefined
  /** The branch that a pull request wants to change. */
  target?: string | undefined
  defaultBranch?: string | undefined
}

/** The parts of the event document of GitHub, Gitea and Forgejo that the variables lack. */
export interface ActionsEvent {
  pull_request?: { title?: string; html_url?: string; head?: { sha?: string } }
  head_commit?: { message?: string; author?: { name?: string } } | null
  repository?: { default_branch?: string }
}

interface Pipeline {
  name: string
  isRunning(env: Env): boolean
  facts(env: Env, event: ActionsEvent): Facts
}

/** GitHub Actions, and those that follow it in all but the paths of pages. */
function actions(pullRequests: string): Pipeline['facts'] {
  return (env, { pull_request: pull, head_commit: pushed, repository }) => {
    const page = `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}`
    const pullRequest = /^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '')?.[1]
    const commit = pull?.head?.sha ?? env.GITHUB_SHA
    return {
      message: pull?.title ?? pushed?.message,
      commit,
      branch: env.GITHUB_HEAD_REF || (env.GITHUB_REF_TYPE === 'branch' ? env.GITHUB_REF_NAME : undefined),
      repository: env.GITHUB_REPOSITORY,
      author: pull === undefined ? (pushed?.author?.name ?? env.GITHUB_ACTOR) : env.GITHUB_ACTOR,
      url:
        pull?.html_url ??
        (pullRequest ? `${page}/${pullRequests}/${pullRequest}` : `${page}/commit/${commit}`),
      pullRequest,
      target: env.GITHUB_BASE_REF,
      defaultBranch: repository?.default_branch,
    }
  }
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
      commit: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA,
      branch: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || env.CI_COMMIT_BRANCH,
      repository: env.CI_PROJECT_PATH,
      author: env.CI_COMMIT_AUTHOR?.replace(/\s*<[^<>]*>$/, ''),
      url: env.CI_MERGE_REQUEST_IID
        ? `${env.CI_MERGE_REQUEST_PROJECT_URL}/-/merge_requests/${env.CI_MERGE_REQUEST_IID}`
        : `${env.CI_PROJECT_URL}/-/commit/${env.CI_COMMIT_SHA}`,
      pullRequest: env.CI_MERGE_REQUEST_IID,
      target: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME,
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
    }),
  },
  {
    name: 'Netlify',
    isRunning: (env) => env.NETLIFY === 'true',
    facts: (env) => ({
      commit: env.COMMIT_REF,
      branch: env.HEAD || env.BRANCH,
      repository: env.REPOSITORY_URL,
      pullRequest: env.PULL_REQUEST === 'true' ? env.REVIEW_ID : undefined,
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
