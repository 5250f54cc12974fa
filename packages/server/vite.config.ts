/**
 * The server and the programs it starts, each in one file with everything it imports: finding a thousand modules takes
 * longer than running them. Not minified, so that a stack trace can be read.
 */
export default {
  build: {
    ssr: true,
    outDir: 'dist',
    target: 'node26',
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        'start/main': 'src/start/main.ts',
        'start/edge-process': 'src/start/edge-process.ts',
        'handover/pass-sockets': 'src/handover/pass-sockets.ts',
        'blobs/files/file-thread-worker': 'src/blobs/files/file-thread-worker.ts',
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true },
}
