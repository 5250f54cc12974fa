// Prints the address of what was published, and hands it to later steps and to the summary of the job.
import { appendFileSync, readFileSync } from 'node:fs'

const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env
const published = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { project, deployment, files, uploaded } = published
const isLive = published.primaryUrl !== undefined
const url = published.primaryUrl ?? published.branchUrl ?? published.url

console.log(url)
if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `url=${url}\ndeployment=${deployment}\n`)
if (GITHUB_STEP_SUMMARY) {
  const title = isLive ? `Published ${project}` : `Preview of ${project}`
  const lines = [
    `### ${title}`,
    '',
    `<${url}>`,
    '',
    `${files} files, ${uploaded} uploaded (\`${deployment}\`)`,
    '',
  ]
  appendFileSync(GITHUB_STEP_SUMMARY, lines.join('\n'))
}
