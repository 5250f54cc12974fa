import { withoutScheme } from './unicode-hostname.ts'

/** Where a site is, as a link to it. */
export function SiteAddress({ url, className = '' }: { url: string; className?: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className={`link min-w-0 font-mono text-small break-all ${className}`}
    >
      {withoutScheme(url)}
    </a>
  )
}
