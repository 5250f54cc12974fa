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
const nothing = { find: async () => null, close() {} }
const silent = { error() {} }

async function startFiles() {
  const folder = await temporaryFolder('masthead-certificate-files')
  const root = await createRoot(now())
  const files = { certificateFile: join(folder.path, 'chain.pem'), keyFile: join(folder.path, 'key.pem') }
  /** As certificate tools do it: written aside, then put in place. */
  async function put(file: string, content: string) {
    await writeFile(`${file}.new`, content)
    await rename(`${file}.new`, file)
  }
  async function make(name: string) {
    const keys = await generateKeyPair()
    const issued = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
    return { ...issued, keyPem: privateKeyPem(keys) }
  }
  async function write(name: string) {
    const made = await make(name)
    await put(files.keyFile, made.keyPem)
    await put(files.certificateFile, made.chainPem)
    return made
  }
  return { root, files, make, put, write, [Symbol.asyncDispose]: () => folder.remove() }
}

test('a certificate from files is served for its names, others are asked for elsewhere', async () => {
  await using place = await startFiles()
  const { serial } = await place.write('acme.pages.example')
  const otherwise = internalPlatformCertificates(place.root, now)
  const certificates = await filePlatformCertificates({
    files: place.files,
    otherwise,
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

/** Looks at the files all the time. */
async function watch({ files }: Pick<Awaited<ReturnType<typeof startFiles>>, 'files'>) {
  const [changed, told] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()]
  const certificates = await filePlatformCertificates({
    files,
    otherwise: nothing,
    onChanged: () => changed.resolve(),
    log: { error: (details) => told.resolve(details) },
    lookEvery: 20,
  })
  return {
    find: () => certificates.find('acme.pages.example', null),
    changed: changed.promise,
    told: told.promise,
    [Symbol.dispose]: () => certificates.close(),
  }
}

test('files that are replaced are read anew, and told', async () => {
  await using place = await startFiles()
  await place.write('acme.pages.example')
  using watched = await watch(place)
  const { serial } = await place.write('acme.pages.example')
  await watched.changed
  assert.equal((await watched.find())?.serial, serial)
})

test('a chain that is made whole is taken up though the certificate itself is the same', async () => {
  await using place = await startFiles()
  const { chainPem, serial } = await place.write('acme.pages.example')
  using watched = await watch(place)
  await place.put(place.files.certificateFile, `${chainPem.trim()}\n${place.root.certificatePem}`)
  await watched.changed
  const found = await watched.find()
  assert.equal(found?.serial, serial)
  assert.ok(found?.chain.includes(place.root.certificatePem.trim()))
})

test('between the new key and the new certificate, the one before is kept and the operator told', async () => {
  await using place = await startFiles()
  const before = await place.write('acme.pages.example')
  using watched = await watch(place)
  const next = await place.make('acme.pages.example')
  await place.put(place.files.keyFile, next.keyPem)
  assert.match(String(Reflect.get(await watched.told, 'err')), /is not the key of the certificate/)
  assert.equal((await watched.find())?.keyPem, before.keyPem)
  await place.put(place.files.certificateFile, next.chainPem)
  await watched.changed
  const found = await watched.find()
  assert.deepEqual([found?.serial, found?.keyPem], [next.serial, next.keyPem])
})

test('a key that is not the certificate’s stops the start with the names of both files', async () => {
  await using place = await startFiles()
  await place.write('acme.pages.example')
  await writeFile(place.files.keyFile, privateKeyPem(await generateKeyPair()))
  const opening = filePlatformCertificates({
    files: place.files,
    otherwise: nothing,
    onChanged() {},
    log: silent,
  })
  await assert.rejects(opening, /key\.pem is not the key of the certificate in .*chain\.pem/)
})

test('a file that is not there, or holds something else, stops the start with its name', async () => {
  await using place = await startFiles()
  const start = () =>
    filePlatformCertificates({ files: place.files, otherwise: nothing, onChanged() {}, log: silent })
  const refused = (message: RegExp) => ({ name: 'CertificateFileError', message })
  await assert.rejects(start(), refused(/chain\.pem could not be read \(ENOENT\)/))
  await place.write('acme.pages.example')
  await writeFile(place.files.keyFile, 'no key')
  await assert.rejects(start(), refused(/key\.pem holds no private key in PEM/))
  await writeFile(place.files.certificateFile, 'no chain')
  await assert.rejects(start(), refused(/chain\.pem holds no PEM certificate chain/))
})
