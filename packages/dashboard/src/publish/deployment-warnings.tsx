import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { Disclosure } from '../ui/disclosure.tsx'
import { Notice } from '../ui/notice.tsx'
import { filesWord } from './words.ts'

/** What is odd about a deployment, and what was sent and not published. */
export function DeploymentWarnings({
  deployment,
}: {
  deployment: Pick<Deployment, 'diagnostics' | 'leftOut'>
}) {
  const { diagnostics, leftOut } = deployment
  if (diagnostics.length === 0 && leftOut.files === 0) return null
  return (
    <div className="mt-4 flex flex-col gap-3">
      {diagnostics.map(({ file, line, level, message }) => (
        <Notice
          key={`${file}:${line}:${message}`}
          tone={level === 'error' ? 'stopped' : 'waiting'}
          title={line === null ? message : `${file}, line ${line}: ${message}`}
        />
      ))}
      {leftOut.files > 0 && (
        <Disclosure summary={`${filesWord(leftOut.files)} left out`}>
          <ul className="mt-2 font-mono text-small">
            {leftOut.paths.map((path) => (
              <li key={path} className="wrap-anywhere">
                {path}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  )
}
