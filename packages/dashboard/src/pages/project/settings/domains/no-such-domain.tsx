import { Link } from 'react-router'
import { paths } from '../../../../paths.ts'
import { Page } from '../../../../ui/page.tsx'

/** Removed, moved to another project, or never here. */
export function NoSuchDomain({ slug, hostname }: { slug: string; hostname: string }) {
  return (
    <Page
      title="Not a domain of this project"
      lede={`${hostname} is not attached to this project. It may have been removed, or moved to another one.`}
    >
      <Link to={paths.domains(slug)} className="link">
        All domains of this project
      </Link>
    </Page>
  )
}
