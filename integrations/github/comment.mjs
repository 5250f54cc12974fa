// Comments the address on the pull request; the next run changes the same comment.
import { readFileSync } from 'node:fs'

const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN, PROJECT, URL: url } = process.env
const { pull_request: pullRequest } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8'))

if (pullRequest === undefined) console.log('There is no pull request to comment on.')
else {
  const mark = `<!-- masthead ${PROJECT} -->`
  const body = `${mark}\n**${PROJECT}** is ready: ${url}`
  const comments = `/repos/${GITHUB_REPOSITORY}/issues/${pullRequest.number}/comments`
  const own = await findComment(comments, (comment) => comment.body?.startsWith(mark))
  if (own === undefined) await call('POST', comments, { body })
  else await call('PATCH', `/repos/${GITHUB_REPOSITORY}/issues/comments/${own.id}`, { body })
}

async function findComment(comments, isOurs) {
  for (let page = 1; page <= 50; page++) {
    const list = await call('GET', `${comments}?per_page=100&page=${page}`)
    const own = list.find(isOurs)
    if (own !== undefined || list.length < 100) return own
  }
}

async function call(method, path, json) {
  const response = await fetch(`${GITHUB_API_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    ...(json && { body: JSON.stringify(json) }),
  })
  if (response.ok) return response.json()
  throw new Error(
    `GitHub answered ${response.status} to ${method} ${path}. Does the job have pull-requests: write?`,
  )
}
