import { useAddressFilter } from '../../activity/use-address-filter.ts'
import { useCertificates } from '../../data/operator.ts'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { RuledList } from '../../ui/rule.tsx'
import { CertificateRow } from './certificates/certificate-row.tsx'

export function OperatorCertificatesPage() {
  const { chosen, choose } = useAddressFilter()
  const failingOnly = chosen('failing') === 'true'
  const list = useCertificates({ failingOnly })
  return (
    <Page
      title="Certificates"
      lede="Of every name on this server: those that fail first, then the soonest to end. Each is renewed by itself."
    >
      <div className="mb-6">
        <Checkbox
          name="failing"
          label="Failing only"
          checked={failingOnly}
          onChange={({ target }) => choose('failing', target.checked ? 'true' : '')}
        />
      </div>
      <Loaded query={list}>
        {(certificates) =>
          certificates.length === 0 ? (
            <NoCertificates failingOnly={failingOnly} />
          ) : (
            <>
              <RuledList label="Certificates">
                {certificates.map((certificate) => (
                  <CertificateRow
                    key={`${certificate.hostname} ${certificate.accountId}`}
                    certificate={certificate}
                  />
                ))}
              </RuledList>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoCertificates({ failingOnly }: { failingOnly: boolean }) {
  if (failingOnly) {
    return (
      <Empty title="No certificate is failing">
        Where the last attempt for a name failed, it will stand here with why, and what to do.
      </Empty>
    )
  }
  return (
    <Empty title="No certificate yet">
      The first one comes with the first visit over HTTPS, or with the first domain that is verified.
    </Empty>
  )
}
