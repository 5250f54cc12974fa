import type { Key } from '@masthead/contract/schemas/key.ts'
import { Confirm } from '../../confirm.tsx'
import { useRevokeKey } from '../../data/keys.ts'
import { focusPage } from '../../ui/focus-page.ts'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'

export function RevokeKey({
  apiKey: { id, name, lastUsedAt },
  onClose,
}: {
  apiKey: Key
  onClose: () => void
}) {
  const revoke = useRevokeKey()
  const say = useToast()
  return (
    <Confirm
      title={`Revoke ${name}?`}
      action="Revoke key"
      acting="Revoking…"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(id)
        onClose()
        focusPage()
        say({ words: `${name} is revoked.` })
      }}
    >
      <p>
        Whatever uses this key is refused from its next request on.{' '}
        {lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Time at={lastUsedAt} />.
          </>
        )}{' '}
        This cannot be taken back: a new key has another secret.
      </p>
    </Confirm>
  )
}
