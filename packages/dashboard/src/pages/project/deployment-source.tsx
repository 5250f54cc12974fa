import { deploymentSource } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Fact } from '../../ui/table.tsx'

/** Branch, commit and pull request in one line; nothing if they are unknown or in the title already. */
export function DeploymentSource({ meta }: Pick<Deployment, 'meta'>) {
  const source = deploymentSource(meta)
  return source === '' ? null : <p className="text-small text-soft wrap-anywhere">{source}</p>
}

/** Where a deployment comes from. All of it is text that a stranger may have written. */
export function SourceFacts({ deployment: { meta, branchUrl, state } }: { deployment: Deployment }) {
  const { message, author, branch, commit, repository, pullRequest, url } = meta
  return (
    <>
      {message !== undefined && (
        <Fact name="Message">
          <span dir="auto" className="block whitespace-pre-line wrap-anywhere">
            {message}
          </span>
        </Fact>
      )}
      {author !== undefined && (
        <Fact name="Author">
          <bdi>{author}</bdi>
        </Fact>
      )}
      {branch !== undefined && (
        <Fact name="Branch">
          <span className="wrap-anywhere">{branch}</span>
          {branchUrl !== null && state === 'ready' && (
            <div>
              <Copyable text={branchUrl} href={branchUrl} what="the address of the branch" />
              <p className="text-small text-soft">Always shows the newest deployment of this branch.</p>
            </div>
          )}
        </Fact>
      )}
      {commit !== undefined && (
        <Fact name="Commit">
          <Copyable text={commit} what="the commit" />
        </Fact>
      )}
      {repository !== undefined && (
        <Fact name="Repository">
          <span className="wrap-anywhere">{repository}</span>
        </Fact>
      )}
      {pullRequest !== undefined && <Fact name="Pull request">#{pullRequest}</Fact>}
      {url !== undefined && (
        <Fact name="Link">
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" className="link wrap-anywhere">
            {url}
          </a>
        </Fact>
      )}
    </>
  )
}
