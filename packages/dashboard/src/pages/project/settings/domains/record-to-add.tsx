import { Copy } from '../../../../ui/copy.tsx'

interface RecordToAddProps {
  record: { type: string; fqdn: string; value: string }
}

/** A record as a line of a zone file, with a way to take its value to where it is set. */
export function RecordToAdd({ record: { type, fqdn, value } }: RecordToAddProps) {
  return (
    <span className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <code className="min-w-0 font-mono text-small wrap-anywhere text-ink">
        {fqdn}. {type} {value}
      </code>
      <Copy text={value} what={`the value of the ${type} record`} />
    </span>
  )
}
