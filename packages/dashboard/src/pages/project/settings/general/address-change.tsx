import type { Project } from '@masthead/contract/schemas/project.ts'
import { Notice } from '../../../../ui/notice.tsx'
import { addressWith } from './address-with.ts'

/** What another slug brings with it, before it is saved. */
export function AddressChange({ project, slug }: { project: Project; slug: string }) {
  const name = 'font-mono text-small wrap-anywhere'
  return (
    <Notice
      tone="waiting"
      title={
        <>
          The site moves to <span className={name}>{addressWith(project.url, slug)}</span>.
        </>
      }
    >
      <span className={name}>{addressWith(project.url, project.slug)}</span> stops answering at once: nothing
      leads from it to the new address, and anybody may take the name. Previews move too. Custom domains stay
      as they are. Where a masthead.json names <span className={name}>{project.slug}</span>, change it there
      as well, or the next <span className={name}>masthead deploy</span> makes a new project.
    </Notice>
  )
}
