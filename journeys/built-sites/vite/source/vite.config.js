export default { build: { assetsInlineLimit: 0 } }
