import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsCases, head, type PipelineCase, sha, site } from './actions-cases.test-kit.ts'
import { cleanFacts } from './clean-facts.ts'
import { pipelines } from './pipelines.ts'

const gitlab = {
  CI: 'true',
  GITLAB_CI: 'true',
  CI_COMMIT_AUTHOR: 'Ada Lovelace <ada@example.com>',
  CI_COMMIT_MESSAGE: 'Fix the header\n\nIt was off.',
  CI_COMMIT_SHA: sha,
  CI_DEFAULT_BRANCH: 'main',
  CI_PROJECT_PATH: 'acme/web/site',
  CI_PROJECT_URL: 'https://gitlab.com/acme/web/site',
  CI_REPOSITORY_URL: 'https://gitlab-ci-token:secret@gitlab.com/acme/web/site.git',
}
const bitbucket = {
  CI: 'true',
  BITBUCKET_BUILD_NUMBER: '7',
  BITBUCKET_COMMIT: sha,
  BITBUCKET_BRANCH: 'feature/login',
  BITBUCKET_GIT_HTTP_ORIGIN: 'http://bitbucket.org/acme/site',
  BITBUCKET_REPO_FULL_NAME: 'acme/site',
}
const circle = {
  CI: 'true',
  CIRCLECI: 'true',
  CIRCLE_BRANCH: 'feature/login',
  CIRCLE_BUILD_URL: 'https://circleci.com/gh/acme/site/7',
  CIRCLE_PROJECT_REPONAME: 'site',
  CIRCLE_PROJECT_USERNAME: 'acme',
  CIRCLE_REPOSITORY_URL: 'git@github.com:acme/site.git',
  CIRCLE_SHA1: sha,
  CIRCLE_USERNAME: 'ada',
}
const jenkins = {
  CI: 'true',
  JENKINS_URL: 'https://ci.example/',
  BUILD_URL: 'https://ci.example/job/site/7/',
  GIT_COMMIT: sha,
  GIT_URL: 'https://git.example/acme/site.git',
}
const netlify = {
  CI: 'true',
  NETLIFY: 'true',
  BRANCH: 'main',
  HEAD: 'main',
  COMMIT_REF: sha,
  CONTEXT: 'production',
  PULL_REQUEST: 'false',
  REPOSITORY_URL: 'https://github.com/acme/site',
}
const vercel = {
  CI: '1',
  VERCEL: '1',
  VERCEL_GIT_COMMIT_AUTHOR_LOGIN: 'ada',
  VERCEL_GIT_COMMIT_AUTHOR_NAME: 'Ada Lovelace',
  VERCEL_GIT_COMMIT_MESSAGE: 'Fix the header',
  VERCEL_GIT_COMMIT_REF: 'feature/login',
  VERCEL_GIT_COMMIT_SHA: sha,
  VERCEL_GIT_PULL_REQUEST_ID: '',
  VERCEL_GIT_REPO_OWNER: 'acme',
  VERCEL_GIT_REPO_SLUG: 'site',
}
const login = { ...site, branch: 'feature/login' }

const cases: PipelineCase[] = [
  ...actionsCases,
  {
    name: 'GitLab CI',
    what: 'a push',
    env: { ...gitlab, CI_COMMIT_BRANCH: 'feature/login', CI_COMMIT_REF_NAME: 'feature/login' },
    meta: {
      ...login,
      repository: 'acme/web/site',
      message: 'Fix the header',
      author: 'Ada Lovelace',
      url: `https://gitlab.com/acme/web/site/-/commit/${sha}`,
    },
  },
  {
    name: 'GitLab CI',
    what: 'a merge request',
    env: {
      ...gitlab,
      CI_COMMIT_REF_NAME: 'feature/login',
      CI_MERGE_REQUEST_IID: '12',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.com/acme/web/site',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/login',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_TITLE: 'Log in',
    },
    meta: {
      ...login,
      repository: 'acme/web/site',
      message: 'Log in',
      author: 'Ada Lovelace',
      pullRequest: 12,
      url: 'https://gitlab.com/acme/web/site/-/merge_requests/12',
    },
  },
  {
    name: 'GitLab CI',
    what: 'a merge request from a fork',
    env: {
      ...gitlab,
      CI_MERGE_REQUEST_IID: '12',
      CI_MERGE_REQUEST_PROJECT_PATH: 'acme/web/site',
      CI_MERGE_REQUEST_PROJECT_URL: 'https://gitlab.com/acme/web/site',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'next',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'mallory/site',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    },
    meta: {
      ...site,
      repository: 'acme/web/site',
      message: 'Fix the header',
      author: 'Ada Lovelace',
      branch: 'pull/12',
      pullRequest: 12,
      url: 'https://gitlab.com/acme/web/site/-/merge_requests/12',
    },
  },
  {
    name: 'GitLab CI',
    what: 'a pull request of another server',
    env: {
      ...gitlab,
      CI_COMMIT_BRANCH: 'main',
      CI_EXTERNAL_PULL_REQUEST_IID: '12',
      CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_NAME: 'main',
      CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_PIPELINE_SOURCE: 'external_pull_request_event',
    },
    meta: {
      repository: 'acme/web/site',
      message: 'Fix the header',
      author: 'Ada Lovelace',
      commit: head,
      branch: 'pull/12',
      pullRequest: 12,
      url: `https://gitlab.com/acme/web/site/-/commit/${sha}`,
    },
  },
  {
    name: 'GitLab CI',
    what: 'what the pipeline of a merge request starts',
    env: {
      ...gitlab,
      CI_COMMIT_REF_NAME: 'refs/merge-requests/12/head',
      CI_PIPELINE_SOURCE: 'parent_pipeline',
    },
    meta: {
      ...site,
      repository: 'acme/web/site',
      message: 'Fix the header',
      author: 'Ada Lovelace',
      branch: 'pull/12',
      pullRequest: 12,
      url: `https://gitlab.com/acme/web/site/-/commit/${sha}`,
    },
  },
  {
    name: 'GitLab CI',
    what: 'a tag',
    env: { ...gitlab, CI_COMMIT_TAG: 'v1', CI_COMMIT_REF_NAME: 'v1' },
    meta: {
      ...site,
      branch: 'tags/v1',
      repository: 'acme/web/site',
      message: 'Fix the header',
      author: 'Ada Lovelace',
      url: `https://gitlab.com/acme/web/site/-/commit/${sha}`,
    },
  },
  {
    name: 'Bitbucket Pipelines',
    what: 'a push',
    env: bitbucket,
    meta: { ...login, url: `http://bitbucket.org/acme/site/commits/${sha}` },
  },
  {
    name: 'Bitbucket Pipelines',
    what: 'a pull request',
    env: { ...bitbucket, BITBUCKET_PR_ID: '12', BITBUCKET_PR_DESTINATION_BRANCH: 'main' },
    meta: { ...login, pullRequest: 12, url: 'http://bitbucket.org/acme/site/pull-requests/12' },
  },
  {
    name: 'CircleCI',
    what: 'a push',
    env: circle,
    meta: { ...login, author: 'ada', url: 'https://circleci.com/gh/acme/site/7' },
  },
  {
    name: 'CircleCI',
    what: 'a pull request',
    env: { ...circle, CIRCLE_PULL_REQUEST: 'https://github.com/acme/site/pull/12' },
    meta: { ...login, author: 'ada', pullRequest: 12, url: 'https://github.com/acme/site/pull/12' },
  },
  {
    name: 'Jenkins',
    what: 'one branch of a repository',
    env: { ...jenkins, GIT_BRANCH: 'origin/feature/login' },
    meta: { ...login, repository: 'https://git.example/acme/site', url: 'https://ci.example/job/site/7/' },
  },
  {
    name: 'Jenkins',
    what: 'a change request',
    env: {
      ...jenkins,
      BRANCH_NAME: 'PR-12',
      CHANGE_AUTHOR: 'ada',
      CHANGE_AUTHOR_DISPLAY_NAME: 'Ada Lovelace',
      CHANGE_BRANCH: 'feature/login',
      CHANGE_ID: '12',
      CHANGE_TARGET: 'main',
      CHANGE_TITLE: 'Log in',
      CHANGE_URL: 'https://git.example/acme/site/pull/12',
      GIT_BRANCH: 'PR-12',
    },
    meta: {
      ...login,
      repository: 'https://git.example/acme/site',
      message: 'Log in',
      author: 'Ada Lovelace',
      pullRequest: 12,
      url: 'https://git.example/acme/site/pull/12',
    },
  },
  {
    name: 'Jenkins',
    what: 'a tag',
    env: { ...jenkins, BRANCH_NAME: 'v1', TAG_NAME: 'v1' },
    meta: {
      ...site,
      branch: 'tags/v1',
      repository: 'https://git.example/acme/site',
      url: 'https://ci.example/job/site/7/',
    },
  },
  {
    name: 'Netlify',
    what: 'a push',
    env: netlify,
    meta: { commit: sha, branch: 'main', repository: 'https://github.com/acme/site' },
  },
  {
    name: 'Netlify',
    what: 'a pull request',
    env: {
      ...netlify,
      BRANCH: 'pull/12/head',
      HEAD: 'feature/login',
      CONTEXT: 'deploy-preview',
      PULL_REQUEST: 'true',
      REVIEW_ID: '12',
    },
    meta: { ...login, repository: 'https://github.com/acme/site', pullRequest: 12 },
  },
  {
    name: 'Vercel',
    what: 'a push',
    env: vercel,
    meta: { ...login, message: 'Fix the header', author: 'Ada Lovelace' },
  },
  {
    name: 'Vercel',
    what: 'a pull request',
    env: { ...vercel, VERCEL_GIT_PULL_REQUEST_ID: '12' },
    meta: { ...login, message: 'Fix the header', author: 'Ada Lovelace', pullRequest: 12 },
  },
]

for (const { name, what, env, event = {}, meta } of cases) {
  test(`${name}: ${what}`, () => {
    const pipeline = pipelines.find(({ isRunning }) => isRunning(env))
    assert.equal(pipeline?.name, name)
    assert.deepEqual(cleanFacts(pipeline?.facts(env, event) ?? {}), meta)
  })
}

test('every pipeline is tried, and none runs on a bare machine', () => {
  assert.deepEqual(new Set(cases.map(({ name }) => name)), new Set(pipelines.map(({ name }) => name)))
  for (const env of [{}, { CI: 'true' }, { BRANCH: 'x', HEAD: 'y', PATH: '/bin' }]) {
    assert.equal(
      pipelines.find(({ isRunning }) => isRunning(env)),
      undefined,
    )
  }
})
