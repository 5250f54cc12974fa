import { withoutScheme } from './unicode-hostname.ts'

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
