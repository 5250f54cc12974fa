import { Copy } from './copy.tsx'

interface CopyableProps {
  text: string
  /** What the button copies, for those who do not see where it stands. */
  what: string
  /** Where the text leads, if it is an address. */
  href?: string
}

/** A value as it is, with a way to take it along. */
export function Copyable({ text, what, href }: CopyableProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      {href === undefined ? (
        <code className="min-w-0 font-mono text-small wrap-anywhere">{text}</code>
      ) : (
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          className="link min-w-0 font-mono text-small wrap-anywhere"
        >
          {text}
        </a>
      )}
      <span className="-my-1">
        <Copy text={text} what={what} />
      </span>
    </span>
  )
}
