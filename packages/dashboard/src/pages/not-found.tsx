import { Link } from 'react-router'
import { FrontPage } from '../layout/front-page.tsx'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/button.tsx'

export function NotFoundPage() {
  return (
    <FrontPage
      title="There is no page here"
      lede={
        <>
          The dashboard has nothing at{' '}
          <code className="font-mono text-small break-all">{location.pathname}</code>. Check the address, or
          start from your projects.
        </>
      }
    >
      <Link to={paths.home()} className={buttonClass('primary')}>
        Your projects
      </Link>
    </FrontPage>
  )
}
