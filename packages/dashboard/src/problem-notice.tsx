import type { ReactNode } from 'react'
import { problemWords } from './problem-words.ts'
import { Notice } from './ui/notices.tsx'

export function ProblemNotice({ error, children }: { error: unknown; children?: ReactNode }) {
  const { what, fix, requestId } = problemWords(error)
  return (
    <Notice tone="stopped" title={what}>
      {fix}
      {requestId !== null && (
        <>
          {' '}
          Request ID: <code className="font-mono text-small">{requestId}</code>
        </>
      )}
      {children !== undefined && <div className="mt-3">{children}</div>}
    </Notice>
  )
}
