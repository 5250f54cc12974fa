import { type Guide, guides } from './paths.ts'

/** Leads to the guide about what a page shows. For the end of its intro. */
export function GuideLink({ to }: { to: Guide }) {
  const { path, title } = guides[to]
  return (
    <>
      {' '}
      <a className="link" href={path}>
        {title}
      </a>
    </>
  )
}
