import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { client, isProblem } from '../api/client.ts'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'

/** Lets a member in to a protected site, and leaves at once. The sign-in page of the site links here. */
export function EnterSitePage() {
  const { hash } = useLocation()
  const given = new URLSearchParams(hash.slice(1))
  const request = given.get('request') ?? ''
  const to = given.get('to') ?? '/'
  const { data, error } = useQuery({
    queryKey: ['enter site', request, to],
    queryFn: () => client.enterSite({ body: { request, to } }),
    // What it returns works once.
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const url = data?.url
  useEffect(() => {
    if (url !== undefined) location.replace(url)
  }, [url])
  if (error === null) return <Waiting />
  const site = siteToReopen(error)
  return (
    <FrontPage title="You cannot enter this site">
      <ProblemNotice error={error}>
        {site !== null && (
          <a href={site} className="link">
            Open the site
          </a>
        )}
      </ProblemNotice>
      <p className="mt-6">
        <Link to={paths.home()} className="link">
          Your projects
        </Link>
      </p>
    </FrontPage>
  )
}

/** Where to sign in from again, if the link has expired. */
function siteToReopen(error: Error): string | null {
  const site = isProblem(error, 'link_invalid') ? error.document.site : null
  return typeof site === 'string' ? site : null
}
