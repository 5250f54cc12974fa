import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import { filePlatformCertificates } from './certificate-files.ts'
import { internalPlatformCertificates } from './platform-certificates.ts'

const now = Date.now
const nothing = { find: async () => null, isPending: async () => false, close() {} }
const silent = { error() {} }

async function startFiles() {
  const folder = await temporaryFolder('masthead-certificate-files')
  const root = await createRoot(now())
  const files = { certificateFile: join(folder.path, 'chain.pem'), keyFile: join(folder.path, 'key.pem') }
  /** Like certificate tools: write a temporary file, then rename it. */
  async function put(file: string, content: string) {
    await writeFile(`${file}.new`, content)
    await rename(`${file}.new`, file)
  }
  async function create(name: string) {
    const keys = await generateKeyPair()
    const issued = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
    return { ...issued, keyPem: privateKeyPem(keys) }
  }
  async function write(name: string) {
    const created = await create(name)
    await put(files.keyFile, created.keyPem)
    await put(files.certificateFile, created.chainPem)
    return created
  }
  return { root, files, create, put, write, [Symbol.asyncDispose]: () => folder.remove() }
}

test('a certificate from files is served for its names, and the fallback for others', async () => {
  await using setup = await startFiles()
  const { serial } = await setup.write('acme.pages.example')
  const fallback = internalPlatformCertificates(async () => setup.root, now)
  const certificates = await filePlatformCertificates({
    files: setup.files,
    fallback,
    onChanged() {},
    log: silent,
  })
  try {
    const found = await certificates.find('acme.pages.example', null)
    assert.equal(found?.serial, serial)
    assert.equal(
      await certificates.find('acme.pages.example', null),
      found,
      'the same value, so that it is kept once',
    )
    const other = await certificates.find('masthead.example', null)
    assert.notEqual(other?.serial, serial)
  } finally {
    certificates.close()
  }
})

/** Polls the files quickly. */
async function watch({ files }: Pick<Awaited<ReturnType<typeof startFiles>>, 'files'>) {
  const [changed, logged] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()]
  const certificates = await filePlatformCertificates({
    files,
    fallback: nothing,
    onChanged: () => changed.resolve(),
    log: { error: (details) => logged.resolve(details) },
    pollInterval: 20,
  })
  return {
    find: () => certificates.find('acme.pages.example', null),
    changed: changed.promise,
    logged: logged.promise,
    [Symbol.dispose]: () => certificates.close(),
  }
}

test('replaced files are reloaded and reported', async () => {
  await using setup = await startFiles()
  await setup.write('acme.pages.example')
  using watched = await watch(setup)
  const { serial } = await setup.write('acme.pages.example')
  await watched.changed
  assert.equal((await watched.find())?.serial, serial)
})

test('a completed chain is used even though the certificate itself is the same', async () => {
  await using setup = await startFiles()
  const { chainPem, serial } = await setup.write('acme.pages.example')
  using watched = await watch(setup)
  await setup.put(setup.files.certificateFile, `${chainPem.trim()}\n${setup.root.certificatePem}`)
  await watched.changed
  const found = await watched.find()
  assert.equal(found?.serial, serial)
  assert.ok(found?.chain.includes(setup.root.certificatePem.trim()))
})

test('between the new key and the new certificate, the old one stays in use and the error is logged', async () => {
  await using setup = await startFiles()
  const before = await setup.write('acme.pages.example')
  using watched = await watch(setup)
  const next = await setup.create('acme.pages.example')
  await setup.put(setup.files.keyFile, next.keyPem)
  assert.match(String(Reflect.get(await watched.logged, 'err')), /is not the key of the certificate/)
  assert.equal((await watched.find())?.keyPem, before.keyPem)
  await setup.put(setup.files.certificateFile, next.chainPem)
  await watched.changed
  const found = await watched.find()
  assert.deepEqual([found?.serial, found?.keyPem], [next.serial, next.keyPem])
})

test('a key that does not match the certificate stops the server and names both files', async () => {
  await using setup = await startFiles()
  await setup.write('acme.pages.example')
  await writeFile(setup.files.keyFile, privateKeyPem(await generateKeyPair()))
  const opening = filePlatformCertificates({
    files: setup.files,
    fallback: nothing,
    onChanged() {},
    log: silent,
  })
  await assert.rejects(opening, /key\.pem is not the key of the certificate in .*chain\.pem/)
})

test('a missing or malformed file stops the server and is named', async () => {
  await using setup = await startFiles()
  const start = () =>
    filePlatformCertificates({ files: setup.files, fallback: nothing, onChanged() {}, log: silent })
  const refused = (message: RegExp) => ({ name: 'CertificateFileError', message })
  await assert.rejects(start(), refused(/chain\.pem could not be read \(ENOENT\)/))
  await setup.write('acme.pages.example')
  await writeFile(setup.files.keyFile, 'no key')
  await assert.rejects(start(), refused(/key\.pem does not contain a private key in PEM/))
  await writeFile(setup.files.certificateFile, 'no chain')
  await assert.rejects(start(), refused(/chain\.pem does not contain a PEM certificate chain/))
})
