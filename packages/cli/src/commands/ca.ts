import { X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ProblemError } from '@masthead/client/errors.ts'
import { command } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { isOnThisMachine } from '../errors/on-this-machine.ts'
import { alignColumns } from '../terminal/layout.ts'

const defaultFile = 'masthead-root.pem'

export const ca = command({
  name: 'ca',
  summary: "Get the root certificate of the server's own certificate authority",
  usage: ['ca [--output FILE]'],
  about: [
    'A server on your own machine signs its own certificates, so browsers warn until they trust its root.\n' +
      'This command prints or saves the root and shows how to trust it. It needs no key.',
    'The operator of the server can sign for any name with this root. Trust only your own, and compare\nthe fingerprint.',
  ],
  options: {
    output: { type: 'string', value: 'FILE', help: 'save to this file instead of printing' },
  },
  examples: [
    [`masthead ca --output ${defaultFile}`, 'save it and see how to trust it'],
    [`masthead ca > ${defaultFile}`, 'the same'],
  ],
  words: 0,
  ignoresBrokenFile: true,
  async run(context, { output }) {
    const root = readCertificate(await rootOf(context))
    const { fingerprint256: fingerprint, subject, validTo } = root
    // Printed from the parsed certificate, to drop anything else that the server sent.
    const pem = root.toString()
    if (output !== undefined) await save(resolve(context.cwd, output), pem)
    printTrustSteps(context, output ?? defaultFile, fingerprint)
    const expiresAt = new Date(validTo).toISOString()
    const document = { certificate: pem, subject: subject.replaceAll('\n', ', '), fingerprint, expiresAt }
    return { document, text: output ?? pem.trimEnd() }
  },
})

async function rootOf({ client, signal, server }: CommandContext): Promise<string> {
  try {
    return await client().getCaRoot({ signal })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'not_found') throw error
    const fix = 'Browsers already trust its certificates. There is nothing to do.'
    const message = `${server} has no certificate authority of its own.`
    throw new CommandError('not_found', message, fix, 'failed', error)
  }
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    const fix = 'Check the server address and try again.'
    throw new CommandError(
      'not_a_certificate',
      'The answer of the server is not a certificate.',
      fix,
      'failed',
      error,
    )
  }
}

async function save(path: string, pem: string): Promise<void> {
  await writeFile(path, pem).catch((error: NodeJS.ErrnoException) => {
    const message = `The certificate could not be saved as ${path} (${error.code}).`
    throw new CommandError('not_saved', message, 'Choose another file with --output.', 'failed', error)
  })
}

function printTrustSteps({ out, server }: CommandContext, file: string, fingerprint: string): void {
  out.note(`SHA-256 ${fingerprint}`)
  if (new URL(server).protocol === 'http:' && !isOnThisMachine(server)) {
    out.tell(
      'The certificate came over plain HTTP. Compare the fingerprint with the operator before you trust it.',
    )
  }
  const ways = [
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`],
    [
      'Debian',
      `sudo cp ${file} /usr/local/share/ca-certificates/masthead.crt && sudo update-ca-certificates`,
    ],
    ['Windows', `certutil -addstore -f Root ${file}`],
    ['Chromium on Linux', `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n Masthead -i ${file}`],
    ['Firefox', 'Settings, Privacy & Security, View Certificates, Authorities, Import'],
    ['curl', `curl --cacert ${file} https://…`],
  ]
  out.note(['To trust it:', ...alignColumns(ways).map((line) => `  ${line}`)].join('\n'))
}
