import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../../paths.ts'
import { filesWord } from '../../../publish/upload-view.ts'
import { SiteAddress } from '../../../site-address.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Empty } from '../../../ui/page.tsx'
import { Status } from '../../../ui/status.tsx'
import { Fact, Facts } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { dateWords } from '../../../ui/time-words.ts'
import { DeploymentSource } from '../deployment-source.tsx'
import { deploymentName } from '../deployment-words.ts'

export function LiveVersion({ project, live }: { project: Project; live: Deployment }) {
  return (
    <section
      aria-label="Live deployment"
      className="grid items-start gap-x-8 gap-y-6 md:grid-cols-[auto_minmax(0,1fr)]"
    >
      <Preview
        key={live.id}
        url={live.url}
        name={project.name}
        isProtected={project.protection !== null && project.protection.scope !== 'paths'}
      />
      <Facts>
        <Fact name="Status">
          <Status tone="live">Live</Status>
        </Fact>
        <Fact name="Published">
          <Time at={live.activatedAt ?? live.createdAt} /> by {live.createdBy}
        </Fact>
        <Fact name="Size">
          {filesWord(live.files)}, {formatBytes(live.bytes)}
        </Fact>
        <Fact name="Deployment">
          <Link to={paths.deployment(project.slug, live.id)} className="link wrap-anywhere">
            {deploymentName(live)}
          </Link>
          <DeploymentSource meta={live.meta} />
        </Fact>
      </Facts>
    </section>
  )
}

/** A thumbnail of the site. It is sandboxed, because the site may be hostile: no scripts, focus, clicks or origin. */
function Preview({ url, name, isProtected }: { url: string; name: string; isProtected: boolean }) {
  const [loaded, setLoaded] = useState(false)
  // Browsers block plain HTTP inside an HTTPS page.
  const isMixed = location.protocol !== 'http:' && !url.startsWith('https:')
  return (
    <figure className="w-full max-w-100 md:w-90">
      <div
        inert
        className="relative aspect-[16/10] overflow-hidden rounded-sheet border border-hairline bg-wash"
      >
        {!isMixed && !isProtected ? (
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
            {isProtected
              ? 'Previews need a password. Open the site to see it.'
              : 'The site uses plain HTTP, which cannot be shown inside this page. Open it to see it.'}
          </p>
        )}
      </div>
      <figcaption className="mt-2 text-small text-soft">Preview, without scripts</figcaption>
    </figure>
  )
}

export function NothingLive({ allowed }: { allowed: boolean }) {
  return (
    <Empty title="Nothing published yet">
      <p>
        {allowed
          ? 'Drop a folder anywhere on this page, and it is live within a second.'
          : 'The site appears here once an owner or developer of this account publishes it.'}
      </p>
    </Empty>
  )
}

/** The primary address, and the default one if it differs. */
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
          Another account used this slug until {dateWords(slugUsedUntil)}. Old links and previews now lead to
          this project.
        </span>
      )}
    </>
  )
}
