import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useState } from 'react'
import { Confirm } from '../../../../confirm.tsx'
import { useHandOverCertificate, useUploadCertificate } from '../../../../data/domains.ts'
import { Form } from '../../../../form/form.tsx'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope } from '../../../../layout/signed-in.tsx'
import { Button } from '../../../../ui/button.tsx'
import { CancelButton, Dialog } from '../../../../ui/dialog.tsx'
import { TextArea } from '../../../../ui/field.tsx'
import { Notice, useToast } from '../../../../ui/notices.tsx'
import { dateWords } from '../../../../ui/time-words.ts'

/** The certificate that the account uploaded, and how to upload one or let Masthead take over. */
export function OwnCertificate({ domain }: { domain: Domain }) {
  const mayChange = useHasScope('domains')
  const [open, setOpen] = useState<'upload' | 'hand-over' | null>(null)
  const { own } = domain.certificate
  const close = () => setOpen(null)
  return (
    <div className="mt-5 flex flex-col gap-4">
      {own !== null && <OwnNotices domain={domain} own={own} />}
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpen('upload')}>
            {own === null ? 'Use your own certificate' : 'Replace your certificate'}
          </Button>
          {own !== null && <Button onClick={() => setOpen('hand-over')}>Let Masthead take over</Button>}
        </div>
      )}
      {open === 'upload' && <UploadDialog domain={domain} onClose={close} />}
      {open === 'hand-over' && <HandOverDialog domain={domain} onClose={close} />}
    </div>
  )
}

interface OwnNoticesProps {
  domain: Domain
  own: NonNullable<Domain['certificate']['own']>
}

function OwnNotices({ domain, own }: OwnNoticesProps) {
  return (
    <>
      {!own.inUse && (
        <p className="max-w-[64ch] text-soft">
          Your certificate from {own.issuer}, valid until {dateWords(own.notAfter)}, is ready. We use it as
          soon as DNS points here.
        </p>
      )}
      {domain.advice === 'replace_certificate' && (
        <Notice tone="waiting" title={`Your certificate expires on ${dateWords(own.notAfter)}.`}>
          Upload a new one, or let Masthead take over. If you do neither, we take over an hour before it
          expires.
        </Notice>
      )}
      {!own.trusted && (
        <Notice tone="waiting" title="Browsers may not trust your certificate.">
          Its chain does not end at a public root. Upload it with its intermediates, unless it is from your
          own CA.
        </Notice>
      )}
    </>
  )
}

interface DialogProps {
  domain: Domain
  onClose: () => void
}

function UploadDialog({ domain: { hostname, unicode }, onClose }: DialogProps) {
  const { slug } = useProject()
  const upload = useUploadCertificate(slug, hostname)
  const say = useToast()
  return (
    <Dialog title={`Your own certificate for ${unicode}`} onClose={onClose}>
      <Form
        submit="Use this certificate"
        submitting="Checking…"
        onSubmit={async ({ chain = '', key = '' }) => {
          await upload.mutateAsync({ chain, key })
          onClose()
          say({ words: `Your certificate for ${unicode} was uploaded.` })
        }}
        aside={<CancelButton onClick={onClose} />}
      >
        <TextArea
          name="chain"
          label="Certificate chain"
          rows={6}
          spellCheck={false}
          placeholder="-----BEGIN CERTIFICATE-----"
          hint="The certificate and its intermediates in PEM, in any order."
        />
        <TextArea
          name="key"
          label="Private key"
          rows={5}
          spellCheck={false}
          autoComplete="off"
          placeholder="-----BEGIN PRIVATE KEY-----"
          hint="In PEM, without a passphrase. We encrypt it and never show it again."
        />
      </Form>
    </Dialog>
  )
}

function HandOverDialog({ domain: { hostname, unicode }, onClose }: DialogProps) {
  const { slug } = useProject()
  const handOver = useHandOverCertificate(slug, hostname)
  return (
    <Confirm
      title="Let Masthead take over?"
      action="Let Masthead take over"
      acting="Requesting…"
      onConfirm={async () => {
        await handOver.mutateAsync()
        onClose()
      }}
      onClose={onClose}
    >
      <p>
        We get a certificate for {unicode} and renew it. Yours stays in use until the new one is installed,
        and its key is deleted.
      </p>
    </Confirm>
  )
}
