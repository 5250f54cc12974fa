export { byteSize as fileSize } from '@masthead/contract/byte-size.ts'
