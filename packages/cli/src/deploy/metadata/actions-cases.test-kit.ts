import type { DeploymentMeta } from '@masthead/contract/schemas/deployment-meta.ts'
import type { ActionsEvent } from './pipelines.ts'

export const sha = '8f14e45fceea167a5a36dedd4bea2543c1c1a3f0'
export const head = 'c4ca4238a0b923820dcc509a6f75849b00000000'

export interface PipelineCase {
  name: string
  what: string
  env: Record<string, string>
  event?: ActionsEvent
  meta: DeploymentMeta
}

const github = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_ACTOR: 'ada',
  GITHUB_REPOSITORY: 'acme/site',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_SHA: sha,
}
const onMain = {
  ...github,
  GITHUB_REF: 'refs/heads/main',
  GITHUB_REF_NAME: 'main',
  GITHUB_REF_TYPE: 'branch',
}
const forgejo = { ...github, FORGEJO_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://codeberg.org' }
export const site = { commit: sha, repository: 'acme/site' }
const byAda = { ...site, author: 'ada' }

/** What GitHub, Forgejo and Gitea say. */
export const actionsCases: PipelineCase[] = [
  {
    name: 'GitHub Actions',
    what: 'a push',
    env: { ...github, GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'branch' },
    meta: { ...byAda, branch: 'main', url: `https://github.com/acme/site/commit/${sha}` },
  },
  {
    name: 'GitHub Actions',
    what: 'a push with its event',
    env: { ...github, GITHUB_REF: 'refs/heads/main', GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'branch' },
    event: { head_commit: { message: 'Fix it\n\nmore', author: { name: 'Ada L.' } } },
    meta: {
      ...site,
      author: 'Ada L.',
      message: 'Fix it',
      branch: 'main',
      url: `https://github.com/acme/site/commit/${sha}`,
    },
  },
  {
    name: 'GitHub Actions',
    what: 'a tag',
    env: { ...github, GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1', GITHUB_REF_TYPE: 'tag' },
    meta: { ...byAda, branch: 'tags/v1', url: `https://github.com/acme/site/commit/${sha}` },
  },
  {
    name: 'GitHub Actions',
    what: 'a pull request',
    env: {
      ...github,
      GITHUB_BASE_REF: 'main',
      GITHUB_HEAD_REF: 'feature/login',
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_REF_NAME: '12/merge',
      GITHUB_REF_TYPE: 'branch',
    },
    event: { pull_request: { title: 'Log in', head: { sha: head } } },
    meta: {
      ...byAda,
      message: 'Log in',
      commit: head,
      branch: 'feature/login',
      pullRequest: 12,
      url: 'https://github.com/acme/site/pull/12',
    },
  },
  {
    name: 'GitHub Actions',
    what: 'a pull request of the main branch of a fork',
    env: {
      ...github,
      GITHUB_BASE_REF: 'main',
      GITHUB_HEAD_REF: 'main',
      GITHUB_REF: 'refs/pull/12/merge',
      GITHUB_REF_NAME: '12/merge',
      GITHUB_REF_TYPE: 'branch',
    },
    meta: { ...byAda, branch: 'pull/12', pullRequest: 12, url: 'https://github.com/acme/site/pull/12' },
  },
  {
    name: 'GitHub Actions',
    what: 'a pull request from a fork that runs on the branch it wants to change',
    env: {
      ...onMain,
      GITHUB_EVENT_NAME: 'pull_request_target',
      GITHUB_BASE_REF: 'main',
      GITHUB_HEAD_REF: 'next',
    },
    event: {
      pull_request: {
        number: 12,
        title: 'Log in',
        head: { sha: head, ref: 'next', repo: { full_name: 'mallory/site' } },
      },
    },
    meta: {
      ...byAda,
      message: 'Log in',
      commit: head,
      branch: 'pull/12',
      pullRequest: 12,
      url: 'https://github.com/acme/site/pull/12',
    },
  },
  {
    name: 'GitHub Actions',
    what: 'the same without its event',
    env: { ...onMain, GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'main' },
    meta: { ...byAda, branch: 'pull/main', url: `https://github.com/acme/site/commit/${sha}` },
  },
  {
    name: 'GitHub Actions',
    what: 'a comment on a pull request',
    env: { ...onMain, GITHUB_EVENT_NAME: 'issue_comment' },
    event: { issue: { number: 12, title: 'Log in', pull_request: {} } },
    meta: {
      ...byAda,
      message: 'Log in',
      branch: 'pull/12',
      pullRequest: 12,
      url: 'https://github.com/acme/site/pull/12',
    },
  },
  {
    name: 'GitHub Actions',
    what: 'a run after that of a pull request from a fork',
    env: { ...onMain, GITHUB_EVENT_NAME: 'workflow_run' },
    event: {
      workflow_run: {
        event: 'pull_request',
        head_branch: 'main',
        head_sha: head,
        head_commit: { message: 'Log in', author: { name: 'Mallory' } },
        head_repository: { full_name: 'mallory/site' },
        pull_requests: [],
      },
    },
    meta: {
      ...site,
      author: 'Mallory',
      message: 'Log in',
      commit: head,
      branch: 'pull/main',
      url: `https://github.com/acme/site/commit/${head}`,
    },
  },
  {
    name: 'GitHub Actions',
    what: 'a run after that of a push',
    env: { ...onMain, GITHUB_EVENT_NAME: 'workflow_run' },
    event: {
      workflow_run: {
        event: 'push',
        head_branch: 'feature/login',
        head_sha: head,
        head_repository: { full_name: 'acme/site' },
      },
    },
    meta: {
      ...byAda,
      commit: head,
      branch: 'feature/login',
      url: `https://github.com/acme/site/commit/${head}`,
    },
  },
  {
    name: 'Forgejo or Gitea Actions',
    what: 'a pull request from a fork that runs on the branch it wants to change',
    env: { ...onMain, FORGEJO_ACTIONS: 'true', GITHUB_BASE_REF: 'main', GITHUB_HEAD_REF: 'main' },
    event: { pull_request: { number: 12, head: { sha: head } } },
    meta: {
      ...byAda,
      commit: head,
      branch: 'pull/12',
      pullRequest: 12,
      url: 'https://github.com/acme/site/pulls/12',
    },
  },
  {
    name: 'Forgejo or Gitea Actions',
    what: 'a pull request',
    env: {
      ...forgejo,
      GITHUB_BASE_REF: 'main',
      GITHUB_HEAD_REF: 'feature/login',
      GITHUB_REF: 'refs/pull/12/head',
      GITHUB_REF_NAME: '12/head',
      GITHUB_REF_TYPE: 'branch',
    },
    meta: {
      ...byAda,
      branch: 'feature/login',
      pullRequest: 12,
      url: 'https://codeberg.org/acme/site/pulls/12',
    },
  },
  {
    name: 'Forgejo or Gitea Actions',
    what: 'a push to Gitea',
    env: { ...github, GITEA_ACTIONS: 'true', GITHUB_REF_NAME: 'main', GITHUB_REF_TYPE: 'branch' },
    meta: { ...byAda, branch: 'main', url: `https://github.com/acme/site/commit/${sha}` },
  },
]
