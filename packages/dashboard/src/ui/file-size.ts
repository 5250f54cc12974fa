export { formatBytes as fileSize } from '@masthead/contract/byte-size.ts'
