import type { Project } from '@masthead/contract/schemas/project.ts'
import { useDeployments } from '../../../../data/deployments.ts'
import { useDomains } from '../../../../data/domains.ts'
import { Loaded } from '../../../../loaded.tsx'

/** Everything that a project takes with it. */
export function WhatGoes({ project: { slug, url } }: { project: Project }) {
  const deployments = useDeployments(slug)
  const domains = useDomains(slug)
  return (
    <>
      <p className="text-soft">From the next request on nothing of it is served. It cannot be taken back.</p>
      <ul
        aria-label="What goes with it"
        className="mt-4 max-h-64 divide-y divide-hairline overflow-y-auto border-t border-ink"
      >
        <li className="py-2.5">
          <span className="font-mono text-small wrap-anywhere">{new URL(url).host}</span>
          <span className="text-small text-soft"> · anybody may take the name afterwards</span>
        </li>
        <Loaded query={deployments} waiting={<Counting />}>
          {({ length }) => (
            <li className="py-2.5">
              {length === 1
                ? '1 deployment'
                : `${length}${deployments.hasNextPage ? ' or more' : ''} deployments`}{' '}
              <span className="text-small text-soft">with all files</span>
            </li>
          )}
        </Loaded>
        <Loaded query={domains} waiting={<Counting />}>
          {(all) => all.map(({ hostname, unicode }) => <DomainThatGoes key={hostname} name={unicode} />)}
        </Loaded>
        {domains.hasNextPage && <li className="py-2.5">and the other domains of this project</li>}
      </ul>
    </>
  )
}

function DomainThatGoes({ name }: { name: string }) {
  return (
    <li className="py-2.5">
      <span className="font-medium wrap-anywhere">{name}</span>
      <span className="text-small text-soft"> · its certificate too</span>
    </li>
  )
}

function Counting() {
  return <li className="after-a-moment py-2.5 text-soft">Looking…</li>
}
