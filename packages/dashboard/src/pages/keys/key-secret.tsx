import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import { ShownOnce } from '../../shown-once.tsx'
import { Command } from '../../ui/command.tsx'

export function KeySecret({
  created: { name, secret },
  onDone,
}: {
  created: CreatedKey
  onDone: () => void
}) {
  return (
    <ShownOnce
      title={`${name} is ready`}
      lede="Copy the key now. It is shown this once; only a hash of it is kept."
      secret={secret}
      what="the key"
      onDone={onDone}
    >
      <p className="mt-5 mb-2 font-medium">Try it</p>
      <Command line={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/v1/whoami`} />
    </ShownOnce>
  )
}
