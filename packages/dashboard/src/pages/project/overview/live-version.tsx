import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../../paths.ts'
import { filesWord } from '../../../publish/publication-view.ts'
import { SiteAddress } from '../../../site-address.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { fileSize } from '../../../ui/file-size.ts'
import { Empty } from '../../../ui/page.tsx'
import { Status } from '../../../ui/status.tsx'
import { Fact, Facts } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { dateWords } from '../../../ui/time-words.ts'

/** What visitors see now. */
export function LiveVersion({ project, live }: { project: Project; live: Deployment }) {
  return (
    <section
      aria-label="What is live"
      className="grid items-start gap-x-8 gap-y-6 md:grid-cols-[auto_minmax(0,1fr)]"
    >
      <Preview key={live.id} url={live.url} name={project.name} />
      <Facts>
        <Fact name="Status">
          <Status tone="live">Live</Status>
        </Fact>
        <Fact name="Published">
          <Time at={live.activatedAt ?? live.createdAt} /> by {live.createdBy}
        </Fact>
        <Fact name="Size">
          {filesWord(live.files)}, {fileSize(live.bytes)}
        </Fact>
        <Fact name="Deployment">
          <Link to={paths.deployment(project.slug, live.id)} className="link font-mono text-small">
            {live.id}
          </Link>
        </Fact>
      </Facts>
    </section>
  )
}

/**
 * The site as it is, small. It runs no script of the site, takes no focus and no click, and has no origin: whoever
 * published it may be hostile.
 */
function Preview({ url, name }: { url: string; name: string }) {
  const [loaded, setLoaded] = useState(false)
  // A browser refuses a plain page inside one that came over HTTPS.
  const showable = location.protocol === 'http:' || url.startsWith('https:')
  return (
    <figure className="w-full max-w-100 md:w-90">
      <div
        inert
        className="relative aspect-[16/10] overflow-hidden rounded-sheet border border-hairline bg-wash"
      >
        {showable ? (
          <iframe
            src={url}
            title={`Preview of ${name}`}
            sandbox=""
            tabIndex={-1}
            loading="lazy"
            referrerPolicy="no-referrer"
            onLoad={() => setLoaded(true)}
            className={`absolute top-0 left-0 size-[400%] origin-top-left scale-25 bg-[#fff] transition-opacity duration-150 ${loaded ? '' : 'opacity-0'}`}
          />
        ) : (
          <p className="grid h-full place-items-center px-6 text-center text-small text-soft">
            The site is served over plain HTTP, which cannot be shown inside this page. Open it to see it.
          </p>
        )}
      </div>
      <figcaption className="mt-2 text-small text-soft">As visitors see it, without its scripts</figcaption>
    </figure>
  )
}

export function NothingLive({ allowed }: { allowed: boolean }) {
  return (
    <Empty title="Nothing is published yet">
      <p>
        {allowed
          ? 'What visitors see will stand here. Drop a folder anywhere on this page and it is served within a second.'
          : 'What visitors see will stand here, once an owner or a developer of this account publishes it.'}
      </p>
    </Empty>
  )
}

/** The address to give to people and, where that is a domain of their own, the one that every project keeps. */
export function ProjectAddresses({ project }: { project: Project }) {
  const { url, primaryUrl, slugUsedUntil } = project
  return (
    <>
      <span className="flex items-center gap-3">
        <SiteAddress url={primaryUrl} />
        <Copy text={primaryUrl} what="the address" />
      </span>
      {url !== primaryUrl && (
        <span className="mt-1 block text-small text-soft">
          Default subdomain <SiteAddress url={url} />
        </span>
      )}
      {slugUsedUntil !== undefined && (
        <span className="mt-1 block text-small text-soft">
          Another account used this slug until {dateWords(slugUsedUntil)}. Links and previews from then lead
          to this project.
        </span>
      )}
    </>
  )
}
